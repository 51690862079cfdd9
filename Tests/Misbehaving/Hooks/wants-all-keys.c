/// Refuses a state that lacks a key.
#define IN_LOAD \
    if (!reader->integer(reader->owner, "count", 5, &state->count)) { \
        refuse(error, "there is no count"); \
        return BELFRY_FAILED; \
    }
#include "steady.h"
