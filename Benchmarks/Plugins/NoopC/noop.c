/// A strategy in C that allows everything and remembers nothing: what is left is what it costs to call it.
#include "belfry.h"

#include <string.h>

#define TEXT(literal) {(literal), sizeof(literal) - 1}

static belfry_verdict should_create(void *instance, const void *state, const belfry_candidate *candidate,
                                    const belfry_context *context, const belfry_reason *reason) {
    (void)instance, (void)state, (void)candidate, (void)context, (void)reason;
    return BELFRY_ALLOW;
}

static belfry_told did_create(void *instance, void *state, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    (void)instance, (void)state, (void)candidate, (void)created, (void)context, (void)error;
    return BELFRY_TOLD_UNCHANGED;
}

static char only_instance;

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type, (void)host, (void)parameters, (void)error;
    return &only_instance;
}

static void destroy(void *instance) { (void)instance; }

static const belfry_strategy noop = {
    .name = TEXT("noop-c"),
    .summary = TEXT("Allows everything."),
    .create = create,
    .destroy = destroy,
    .should_create = should_create,
    .did_create = did_create,
};

static const belfry_strategy *const strategy_list[] = {&noop};
static const belfry_strategies strategies = {.items = strategy_list, .count = 1};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0 ? &strategies : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC,
    .abi_major = BELFRY_ABI_MAJOR,
    .abi_minor = BELFRY_ABI_MINOR,
    .size = sizeof(belfry_plugin),
    .id = TEXT("noop-c"),
    .version = TEXT("1.0.0"),
    .built_with = TEXT("C"),
    .get_extension = get_extension,
};

const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
