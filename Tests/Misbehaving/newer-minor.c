/// Built against newer headers of the same major version.
#define MINOR 7
#include "well-behaved.h"
