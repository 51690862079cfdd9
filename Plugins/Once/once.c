/// The strategy `once`: at most one notification ever, per campaign unless `per` says otherwise.
///
/// A whole plugin in plain C, against belfry.h alone. Read it from the bottom: the entry hands out the root, the root finds
/// the table of strategies by name, and the table has one strategy, whose functions stand above it.
#include "belfry.h"

#include <stddef.h>
#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

static const belfry_text MESSAGE = TEXT("it was created once already");

// MARK: State

/// What is remembered of a subject, per counter. The memory is the host's.
struct state {
    int64_t created_at;  ///< ms; INT64_MIN for never
};

/// The host stores, shows and copies the state by this.
static const belfry_field fields[] = {{
    .name = TEXT("createdAt"),
    .summary = TEXT("when it was created"),
    .type = BELFRY_FIELD_INSTANT,
    .offset = offsetof(struct state, created_at),
}};

static void state_init(void *type, void *memory) {
    (void)type;
    *(struct state *)memory = (struct state){INT64_MIN};
}

// MARK: Decisions

/// Pure: it looks at the state and leaves it alone. There is no `until`, because it will never be allowed again.
static belfry_verdict should_create(void *instance, const void *memory, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason) {
    (void)instance;
    (void)candidate;
    (void)context;
    const struct state *state = memory;
    if (state->created_at == INT64_MIN) return BELFRY_ALLOW;
    const belfry_text code = {0};  // absent: the strategy's name stands for it
    reason->explain(reason->owner, &code, &MESSAGE);
    return BELFRY_DENY;
}

/// Only what really was created counts. The first instant stays, if a chain that does not require `once` creates more.
static belfry_told did_create(void *instance, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    (void)instance;
    (void)candidate;
    (void)error;
    struct state *state = memory;
    if (!created || state->created_at != INT64_MIN) return BELFRY_TOLD_UNCHANGED;
    state->created_at = context->now;
    return BELFRY_TOLD_CHANGED;
}

// MARK: Instances

/// There are no parameters, so one instance serves all; what counts is that it is not null.
static char only_instance;

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type;
    (void)host;
    (void)parameters;
    (void)error;
    return &only_instance;
}

static void destroy(void *instance) { (void)instance; }

// MARK: What the plugin offers

static const belfry_strategy once = {
    .name = TEXT("once"),
    .summary = TEXT("Allows one notification, and never another."),
    .default_counter = TEXT("campaign"),
    .state_size = sizeof(struct state),
    .state_alignment = _Alignof(struct state),
    .fields = fields,
    .field_count = 1,
    .create = create,
    .destroy = destroy,
    .state_init = state_init,
    .should_create = should_create,
    .did_create = did_create,
};

static const belfry_strategy *const strategy_list[] = {&once};
static const belfry_strategies strategies = {.items = strategy_list, .count = 1};

/// A refusal changes nothing.
static const belfry_text told_of_what_happened[] = {TEXT("once")};
static const belfry_outcomes outcomes = {told_of_what_happened, 1};

static const void *get_extension(const char *id) {
    if (strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0) return &strategies;
    return strcmp(id, BELFRY_EXTENSION_OUTCOMES) == 0 ? &outcomes : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC,
    .abi_major = BELFRY_ABI_MAJOR,
    .abi_minor = BELFRY_ABI_MINOR,
    .size = sizeof(belfry_plugin),
    .id = TEXT("once"),
    .version = TEXT("1.0.0"),
    .built_with = TEXT("C"),
    .get_extension = get_extension,
};

const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
