/// Migrates version 1 into a state that it cannot load again.
#define STATE_VERSION 2
#define IN_LOAD \
    if (version < 2) { state->count = -1; return BELFRY_OK; } \
    int64_t count = 0; \
    reader->integer(reader->owner, "count", 5, &count); \
    if (count < 0) { refuse(error, "a count is not negative"); return BELFRY_FAILED; }
#include "steady.h"
