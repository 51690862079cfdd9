/// Has no name to be known by.
#define ID TEXT("")
#include "well-behaved.h"
