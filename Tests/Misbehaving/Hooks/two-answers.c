/// A check that says yes and no by turns.
#define IN_SHOULD_CREATE \
    static int turn; \
    if (turn++ % 2) return BELFRY_ABSTAIN;
#include "steady.h"
