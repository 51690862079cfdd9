/// Lets the whole process see its functions.
__attribute__((visibility("default"))) int helper(void) { return 1; }
#include "steady.h"
