/// Changes its state, and says that it did not.
#define IN_ON_OPENED state->count = 0; return BELFRY_TOLD_UNCHANGED;
#include "steady.h"
