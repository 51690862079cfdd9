/// A strategy with parameters and state that does everything right: at most `limit` notifications until one is opened, and not two
/// within a minute. The base of the plugins in this folder.
///
/// Each of them defines what it does wrong, one thing, and includes this. Everything that can be defined is listed here.
#ifndef STEADY_H
#define STEADY_H

#include <stdlib.h>
#include <string.h>

#include "belfry.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

// Statements at the beginning of a function.
#ifndef IN_INIT
#define IN_INIT
#endif
#ifndef IN_SHOULD_CREATE
#define IN_SHOULD_CREATE
#endif
#ifndef IN_DID_CREATE
#define IN_DID_CREATE
#endif
#ifndef IN_ON_OPENED
#define IN_ON_OPENED
#endif
#ifndef IN_ON_BACKGROUND
#define IN_ON_BACKGROUND
#endif
#ifndef IN_LOAD
#define IN_LOAD
#endif

// Whole functions, and parts of them.
#ifndef CREATE
#define CREATE create
#endif
#ifndef COUNT
#define COUNT state->count
#endif
#ifndef SAVE_LAST
#define SAVE_LAST writer->instant(writer->owner, "last", 4, state->last)
#endif
#ifndef LAST_KEY
#define LAST_KEY "last"
#endif
#ifndef OTHER_TABLE
#define OTHER_TABLE(id) NULL  // what it offers beside strategies
#endif
#ifndef MORE_MEMBERS
#define MORE_MEMBERS  // parameters beside `limit`
#endif
#ifndef STATE_VERSION
#define STATE_VERSION 1
#endif

struct state {
    int64_t count, last;
};

struct instance {
    int64_t limit;
};

__attribute__((unused)) static void *refuse(const belfry_sink *error, const char *sentence) {
    error->write(error->owner, sentence, strlen(sentence));
    return NULL;
}

__attribute__((unused)) static void *make(int64_t limit) {
    struct instance *instance = malloc(sizeof *instance);
    if (instance) instance->limit = limit;
    return instance;
}

__attribute__((unused)) static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    if (!parameters) return make(3);
    if (parameters->kind != BELFRY_MAP) return refuse(error, "the parameters are no mapping");
    int64_t limit = 3;
    for (uint64_t index = 0; index < parameters->count; index++) {
        const belfry_value *item = &parameters->items[index];
        if (item->key.length != 5 || memcmp(item->key.bytes, "limit", 5) != 0) continue;
        if (item->kind != BELFRY_INTEGER) return refuse(error, "'limit' is no whole number");
        limit = item->integer;
    }
    return make(limit);
}

static void destroy(void *instance) { free(instance); }

static void state_init(void *type, void *memory) { *(struct state *)memory = (struct state){0, 0}; }
static void state_destroy(void *type, void *memory) {}

static belfry_status state_load(void *type, void *memory, uint32_t version, int64_t now,
                                const belfry_state_reader *reader, const belfry_sink *error) {
    struct state *state = memory;
    IN_LOAD
    reader->integer(reader->owner, "count", 5, &state->count);
    reader->instant(reader->owner, LAST_KEY, sizeof LAST_KEY - 1, &state->last);
    return BELFRY_OK;
}

static void state_save(void *type, const void *memory, const belfry_state_writer *writer) {
    const struct state *state = memory;
    writer->integer(writer->owner, "count", 5, state->count);
    SAVE_LAST;
}

static belfry_verdict should_create(void *self, const void *memory, const belfry_candidate *candidate, const belfry_context *context,
                                    const belfry_reason *reason) {
    const struct state *state = memory;
    const struct instance *instance = self;
    const belfry_text code = {0}, message = TEXT("that is enough");
    IN_SHOULD_CREATE
    if (COUNT < instance->limit && (state->last == 0 || context->now - state->last >= 60000)) return BELFRY_ALLOW;
    reason->explain(reason->owner, &code, &message);
    return BELFRY_DENY;
}

static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    struct state *state = memory;
    IN_DID_CREATE
    if (!created) return BELFRY_TOLD_UNCHANGED;
    COUNT++;
    state->last = context->now;
    return BELFRY_TOLD_CHANGED;
}

static belfry_told on_opened(void *self, void *memory, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_sink *error) {
    struct state *state = memory;
    IN_ON_OPENED
    state->count = 0;
    return BELFRY_TOLD_CHANGED;
}

static belfry_told on_background(void *self, void *memory, const belfry_context *context, const belfry_sink *error) {
    IN_ON_BACKGROUND
    return BELFRY_TOLD_UNCHANGED;
}

static const belfry_value three = {.kind = BELFRY_INTEGER, .integer = 3, .number = 3};
static const belfry_parameter members[] = {
    MORE_MEMBERS {.name = TEXT("limit"), .summary = TEXT("How many until one is opened."), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 1, .default_value = &three}};
static const belfry_parameter parameters = {.type = BELFRY_PARAMETER_OBJECT, .members = members,
                                            .member_count = sizeof members / sizeof *members};

static const belfry_strategy strategy = {
    .name = TEXT("steady"), .summary = TEXT("At most so many until one is opened."), .parameters = &parameters,
    .state_size = sizeof(struct state), .state_alignment = 8, .state_version = STATE_VERSION, .create = CREATE, .destroy = destroy,
    .state_init = state_init, .state_destroy = state_destroy, .state_load = state_load, .state_save = state_save,
    .should_create = should_create, .did_create = did_create, .on_opened = on_opened, .on_background = on_background};
static const belfry_strategy *const items[] = {&strategy};
static const belfry_strategies strategies = {items, 1};

static belfry_status init(const belfry_host *host, const belfry_sink *error) {
    IN_INIT
    return BELFRY_OK;
}

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0 ? (const void *)&strategies : OTHER_TABLE(id);
}

static const belfry_plugin root = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("example.steady"), .version = TEXT("1.0.0"), .init = init, .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) { return &root; }

#endif
