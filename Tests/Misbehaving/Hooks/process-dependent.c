/// Denies in words that are others in each process.
#include <stdio.h>
#include <unistd.h>
#define IN_SHOULD_CREATE \
    if (state->count > 0) { \
        char text[16]; \
        const belfry_text own = {text, (uint64_t)snprintf(text, sizeof text, "%d", getpid())}; \
        reason->explain(reason->owner, &code, &own); \
        return BELFRY_DENY; \
    }
#include "steady.h"
