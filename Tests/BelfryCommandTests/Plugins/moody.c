/// Denies whenever the clock likes: what it is asked again comes out otherwise.
#include <time.h>
#include "belfry.h"

static belfry_verdict judge(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                            const belfry_reason *reason) {
    static const belfry_text code = {"mood", 4}, message = {"not now", 7};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_nsec / 64 % 2) return BELFRY_ALLOW;
    reason->explain(reason->owner, &code, &message);
    return BELFRY_DENY;
}

#define ID TEXT("test.moody")
#define NAME TEXT("moody")
#define SHOULD_CREATE judge
#include "../../Misbehaving/well-behaved.h"
