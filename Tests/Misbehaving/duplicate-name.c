/// Another plugin with a strategy of the same name as the good one.
#define ID TEXT("example.duplicate-name")
#include "well-behaved.h"
