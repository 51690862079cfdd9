/// A flag that nobody knows.
#define FLAGS 4
#include "well-behaved.h"
