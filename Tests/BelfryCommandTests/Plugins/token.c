/// Has a token at first, which its first creation spends, and fields that have a value at first and none after that. TOKEN_VERSION 2 has
/// one field more.
#include <stddef.h>
#include "belfry.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

#ifndef TOKEN_VERSION
#define TOKEN_VERSION 1
#endif

struct state {
    int64_t token;
    uint64_t is_spent;
    belfry_text mode;
    int64_t since;
#if TOKEN_VERSION > 1
    int64_t more;
#endif
};

static void state_init(void *type, void *memory) {
    *(struct state *)memory = (struct state){.token = 1, .mode = TEXT("fresh"), .since = 1000};
}

static belfry_verdict asks_for_token(void *self, const void *memory, const belfry_candidate *candidate,
                                     const belfry_context *context, const belfry_reason *reason) {
    const struct state *state = memory;
    int is_spent = state->is_spent && state->mode.length == 0 && state->since == INT64_MIN;
    if (!is_spent) return BELFRY_ABSTAIN;
    belfry_text code = TEXT("spent"), message = TEXT("the token is spent");
    reason->explain(reason->owner, &code, &message);
    return BELFRY_DENY;
}

static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    struct state *state = memory;
    state->token = 0, state->is_spent = 1, state->mode = (belfry_text){"", 0}, state->since = INT64_MIN;
    return BELFRY_TOLD_CHANGED;
}

static const belfry_field fields[] = {
    {.name = TEXT("token"), .type = BELFRY_FIELD_INTEGER, .flags = BELFRY_FIELD_OPTIONAL, .offset = offsetof(struct state, token)},
    {.name = TEXT("mode"), .type = BELFRY_FIELD_TEXT, .offset = offsetof(struct state, mode)},
    {.name = TEXT("since"), .type = BELFRY_FIELD_INSTANT, .offset = offsetof(struct state, since)},
#if TOKEN_VERSION > 1
    {.name = TEXT("more"), .type = BELFRY_FIELD_INTEGER, .offset = offsetof(struct state, more)},
#endif
};

#define ID TEXT("test.token")
#define VERSION TEXT("1.0.0")
#define NAME TEXT("token")
#define STATE .state_size = sizeof(struct state), .state_alignment = _Alignof(struct state), .state_init = state_init, \
    .fields = fields, .field_count = sizeof fields / sizeof *fields, .did_create = did_create
#define SHOULD_CREATE asks_for_token
#include "../../Misbehaving/well-behaved.h"
