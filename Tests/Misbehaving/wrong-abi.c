/// Built for the next major version, behind the entry of this one.
#define MAJOR 2
#include "well-behaved.h"
