/// Uses a word that is kept for later.
#define RESERVED 0, 1
#include "well-behaved.h"
