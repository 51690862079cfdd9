/// Keeps the candidate that it was lent, and looks at it later.
#include "belfry.h"
static _Thread_local const belfry_candidate *kept;
static volatile int64_t seen;
#define IN_DID_CREATE kept = candidate;
#define IN_SHOULD_CREATE if (kept) seen = kept->priority;
#include "steady.h"
