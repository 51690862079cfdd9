/// Allows everything, after a while.
#include <unistd.h>
#include "belfry.h"

static belfry_verdict dawdle(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_reason *reason) {
    usleep(200000);
    return BELFRY_ALLOW;
}

#define ID TEXT("test.dawdler")
#define NAME TEXT("dawdler")
#define SHOULD_CREATE dawdle
#include "../../Misbehaving/well-behaved.h"
