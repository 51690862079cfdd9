/// Throws dice.
#define IN_SHOULD_CREATE if (rand() % 2) return BELFRY_ABSTAIN;
#include "steady.h"
