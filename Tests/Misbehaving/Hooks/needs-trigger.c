/// Takes it that a trigger made each candidate.
#define IN_SHOULD_CREATE if (candidate->trigger.bytes[0] == 'x') return BELFRY_ABSTAIN;
#include "steady.h"
