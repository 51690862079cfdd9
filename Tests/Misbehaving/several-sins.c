/// Three differences in the root at once: all of them are to be told.
#define MINOR 7
#define SIZE 8
#define FLAGS 1
#include "well-behaved.h"
