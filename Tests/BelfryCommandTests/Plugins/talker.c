/// Prints to standard output, where decisions go.
#include <unistd.h>
#include "belfry.h"

static belfry_verdict talk(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                           const belfry_reason *reason) {
    return write(1, "la la la\n", 9) == 9 ? BELFRY_ALLOW : BELFRY_ABSTAIN;
}

#define ID TEXT("test.talker")
#define NAME TEXT("talker")
#define SHOULD_CREATE talk
#include "../../Misbehaving/well-behaved.h"
