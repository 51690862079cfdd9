/// Says that it was asked, and never answers.
#include <unistd.h>
#include "belfry.h"

static belfry_verdict stay(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                           const belfry_reason *reason) {
    if (write(2, "here I stay\n", 12) != 12) return BELFRY_ABSTAIN;
    for (;;) pause();
}

#define ID TEXT("test.endless")
#define NAME TEXT("endless")
#define SHOULD_CREATE stay
#include "../../Misbehaving/well-behaved.h"
