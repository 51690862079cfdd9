/// Says that it makes nothing of refusals, and counts them.
#define IN_DID_CREATE if (!created) { state->count++; return BELFRY_TOLD_CHANGED; }
#include "outcomes.h"

#include "steady.h"
