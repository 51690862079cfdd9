/// One of its strategies is not there.
#define STRATEGIES &strategy, 0
#include "well-behaved.h"
