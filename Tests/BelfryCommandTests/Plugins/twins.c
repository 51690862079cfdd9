/// Allows everything. SIN: 0 forks where it is set up, 1 where it is asked, and both processes go on; 2 says to the host what makes no sense
/// where it is set up.
#include <stdint.h>
#include <unistd.h>
#include "belfry.h"

#ifndef SIN
#define SIN 0
#endif

static int whole;

static void *set_up(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    // As long as it says, and no message.
    static const struct { int64_t length; char text[8]; } message = {8, "nonsense"};
    if (SIN == 0 && fork() < 0) return NULL;
    if (SIN == 2 && write(3, &message, sizeof message) < 0) return NULL;
    return &whole;
}

static belfry_verdict allow(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                            const belfry_reason *reason) {
    return SIN == 1 && fork() < 0 ? BELFRY_DENY : BELFRY_ALLOW;
}

static void let_go(void *unused) {}

#define TEXT(literal) {literal, sizeof(literal) - 1}
static const belfry_strategy twins = {
    .name = TEXT("twins"), .summary = TEXT("Is there twice."), .create = set_up, .destroy = let_go, .should_create = allow,
};
#undef TEXT
#define ID TEXT("test.twins")
#define STRATEGIES &twins
#include "../../Misbehaving/well-behaved.h"
