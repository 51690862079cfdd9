/// The strategy `once`: at most one notification ever, per campaign unless `per` says otherwise.
///
/// A whole plugin in plain C, against belfry.h alone. Read it from the bottom: the entry hands out the root, the root finds
/// the table of strategies by name, and the table has one strategy, whose functions stand above it.
#include "belfry.h"

#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

static const belfry_text MESSAGE = TEXT("it was created once already");

static const char CREATED_AT[] = "createdAt";
#define CREATED_AT_LENGTH (sizeof(CREATED_AT) - 1)

// MARK: State

/// What is remembered of a subject, per counter. The memory is the host's.
struct state {
    int64_t created_at;  ///< ms; means something only if `is_created`
    belfry_bool is_created;
};

static void state_init(void *type, void *memory) {
    (void)type;
    *(struct state *)memory = (struct state){0, 0};
}

/// Nothing to free: the state owns nothing.
static void state_destroy(void *type, void *memory) {
    (void)type;
    (void)memory;
}

static belfry_status state_load(void *type, void *memory, uint32_t version, const belfry_state_reader *reader,
                                const belfry_sink *error) {
    (void)type;
    (void)version;  // 1 is the only one there has been
    (void)error;
    struct state *state = memory;
    state->is_created = reader->instant(reader->owner, CREATED_AT, CREATED_AT_LENGTH, &state->created_at);
    return BELFRY_OK;
}

/// A key that is not written is not there when it is read: that is how "never" is saved.
static void state_save(void *type, const void *memory, const belfry_state_writer *writer) {
    (void)type;
    const struct state *state = memory;
    if (state->is_created) writer->instant(writer->owner, CREATED_AT, CREATED_AT_LENGTH, state->created_at);
}

// MARK: Decisions

/// Pure: it looks at the state and leaves it alone. There is no `until`, because it will never be allowed again.
static belfry_verdict should_create(void *instance, const void *memory, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason) {
    (void)instance;
    (void)candidate;
    (void)context;
    const struct state *state = memory;
    if (!state->is_created) return BELFRY_ALLOW;
    const belfry_text code = {0};  // absent: the strategy's name stands for it
    reason->explain(reason->owner, &code, &MESSAGE);
    return BELFRY_DENY;
}

/// Only what really was created counts. The first instant stays, if a chain that does not require `once` creates more.
static void did_create(void *instance, void *memory, const belfry_candidate *candidate, belfry_bool created,
                       const belfry_context *context) {
    (void)instance;
    (void)candidate;
    struct state *state = memory;
    if (created && !state->is_created) *state = (struct state){context->now, 1};
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
    .state_version = 1,
    .create = create,
    .destroy = destroy,
    .state_init = state_init,
    .state_destroy = state_destroy,
    .state_load = state_load,
    .state_save = state_save,
    .should_create = should_create,
    .did_create = did_create,
};

static const belfry_strategy *const strategy_list[] = {&once};
static const belfry_strategies strategies = {.items = strategy_list, .count = 1};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0 ? &strategies : NULL;
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
