/// Leaves a pause after every notification.
///
/// Read it from the bottom: the entry hands out the root, the root finds the table of strategies by name, and the table has one
/// strategy, whose functions stand above it. include/belfry says of each who calls it, when, and who owns what.
#include "belfry.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

#define HOUR ((int64_t)3600000)

// MARK: Parameters

/// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
static const belfry_value default_pause = {.kind = BELFRY_DURATION, .integer = HOUR, .number = HOUR};
static const belfry_parameter members[] = {
    {.name = TEXT("pause"), .summary = TEXT("how long nothing more is created"), .type = BELFRY_PARAMETER_DURATION,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 0, .default_value = &default_pause},
};
static const belfry_parameter parameters_root = {
    .type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = sizeof(members) / sizeof(*members)};

/// The parameters of one place in the configuration. It never changes: it is used for different subjects at once.
struct instance {
    int64_t pause;  ///< ms
};

static const belfry_value *member(const belfry_value *map, const char *key) {
    for (uint64_t i = 0; map && i < map->count; i++) {
        const belfry_text name = map->items[i].key;
        if (name.length == strlen(key) && memcmp(name.bytes, key, name.length) == 0) return &map->items[i];
    }
    return NULL;
}

static void *refuse(const belfry_sink *error, const char *sentence) {
    error->write(error->owner, sentence, strlen(sentence));
    return NULL;
}

/// The host has checked the parameters already; another one may not.
static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type, (void)host;
    if (parameters && parameters->kind != BELFRY_MAP) return refuse(error, "parameters are a mapping");
    const belfry_value *pause = member(parameters, "pause");
    if (pause && pause->kind != BELFRY_DURATION) return refuse(error, "'pause' is a duration, such as 90s or 1h");
    struct instance *instance = malloc(sizeof(*instance));
    if (!instance) return refuse(error, "there is no memory left");
    instance->pause = pause ? pause->integer : HOUR;
    return instance;
}

static void destroy(void *instance) { free(instance); }

// MARK: State

/// What is remembered of a subject: facts, from which the checks conclude. The memory is the host's.
struct state {
    int64_t created_at;  ///< ms since 1970; INT64_MIN: never
};

/// The host stores, shows, copies and migrates the state by this.
static const belfry_field fields[] = {
    {.name = TEXT("createdAt"), .summary = TEXT("when the last one was created"), .type = BELFRY_FIELD_INSTANT,
     .offset = offsetof(struct state, created_at)},
};

/// Needed because an instant of zero is not "never", but the beginning of 1970.
static void state_init(void *type, void *memory) {
    (void)type;
    *(struct state *)memory = (struct state){.created_at = INT64_MIN};
}

// MARK: Decisions

/// Pure: may be asked any number of times.
static belfry_verdict should_create(void *self, const void *memory, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason) {
    (void)candidate;
    const struct instance *instance = self;
    const struct state *state = memory;
    if (state->created_at == INT64_MIN || context->now - state->created_at >= instance->pause) return BELFRY_ALLOW;
    char sentence[80];
    const int length = snprintf(sentence, sizeof(sentence), "the last one was created less than %lld s ago",
                                (long long)(instance->pause / 1000));
    const belfry_text code = {0}, message = {sentence, (uint64_t)length};  // no code: the strategy's name stands for it
    reason->explain(reason->owner, &code, &message);
    // No time is beyond the largest number.
    int64_t until;
    if (__builtin_add_overflow(state->created_at, instance->pause, &until)) until = INT64_MAX;
    reason->until(reason->owner, until);
    return BELFRY_DENY;
}

/// Told what came of it, when every strategy of the chain was asked. A state that was not touched need not be stored.
static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    (void)self, (void)candidate, (void)error;
    if (!created) return BELFRY_TOLD_UNCHANGED;
    ((struct state *)memory)->created_at = context->now;
    return BELFRY_TOLD_CHANGED;
}

// MARK: The plugin

static const belfry_strategy strategy = {
    .name = TEXT("my-plugin"),
    .summary = TEXT("Leaves a pause after every notification."),
    .parameters = &parameters_root,
    .state_size = sizeof(struct state),
    .state_alignment = _Alignof(struct state),
    .fields = fields,
    .field_count = sizeof(fields) / sizeof(*fields),
    .create = create,
    .destroy = destroy,
    .state_init = state_init,
    .should_create = should_create,
    .did_create = did_create,
};

static const belfry_strategy *const items[] = {&strategy};
static const belfry_strategies strategies = {items, sizeof(items) / sizeof(*items)};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0 ? &strategies : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("my-plugin"), .version = TEXT("0.1.0"), .get_extension = get_extension};

/// The only function that the host looks for.
__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
