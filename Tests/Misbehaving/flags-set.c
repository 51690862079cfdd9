/// An unknown flag.
#define FLAGS 4
#include "well-behaved.h"
