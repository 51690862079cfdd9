/// Is at version 2 and has forgotten version 1.
#define STATE_VERSION 2
#define IN_LOAD \
    if (version < 2) { \
        refuse(error, "version 1 is too old"); \
        return BELFRY_FAILED; \
    }
#include "steady.h"
