/// Defers everything to the next full hour, once.
#include "belfry.h"

static belfry_verdict wait_for_the_hour(void *self, const void *state, const belfry_candidate *candidate,
                                        const belfry_context *context, const belfry_reason *reason) {
    static const belfry_text code = {"patience", 8}, message = {"it is not the full hour", 23};
    if (candidate->deferred) return BELFRY_ALLOW;
    reason->explain(reason->owner, &code, &message);
    reason->until(reason->owner, (context->now / 3600000 + 1) * 3600000);
    return BELFRY_DEFER;
}

#define ID TEXT("test.patient")
#define NAME TEXT("patient")
#define SHOULD_CREATE wait_for_the_hour
#include "../../Misbehaving/well-behaved.h"
