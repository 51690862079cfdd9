/// The strategy `ledger`, written for contract 1.0: allows nothing for an hour after three within it. Its state declares its fields, one
/// of each type, and it fails when it is told of what has no title.
#include "belfry.h"

#include <stddef.h>
#include <string.h>

#define TEXT(literal) {(literal), sizeof(literal) - 1}
#define HOUR ((int64_t)3600000)

struct optional {
    int64_t value;
    uint8_t is_absent;
};

struct state {
    int64_t count;
    double weight;
    int64_t at;
    int64_t longest;
    struct optional opened;
    belfry_text campaign;
    belfry_integers lengths;
    belfry_integers times;
    uint8_t is_busy;
};

static const belfry_scratch *scratch;
static int instance;

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type;
    (void)parameters;
    scratch = host->get_extension(host, BELFRY_EXTENSION_SCRATCH);
    if (scratch) return &instance;
    error->write(error->owner, "the host lacks belfry.scratch/1", 31);
    return NULL;
}

static void destroy(void *self) { (void)self; }

static void state_init(void *type, void *memory) {
    (void)type;
    struct state *state = memory;
    state->at = INT64_MIN;
    state->opened.is_absent = 1;
}

static void append(belfry_integers *list, int64_t number, const belfry_context *context) {
    int64_t *items = scratch->allocate(context, (list->count + 1) * sizeof *items);
    if (list->count > 0) memcpy(items, list->items, list->count * sizeof *items);
    items[list->count] = number;
    *list = (belfry_integers){items, list->count + 1};
}

static belfry_verdict should_create(void *self, const void *memory, const belfry_candidate *candidate, const belfry_context *context,
                                    const belfry_reason *reason) {
    (void)self;
    (void)candidate;
    const struct state *state = memory;
    if (state->times.count < 3) return BELFRY_ALLOW;
    const int64_t end = state->times.items[state->times.count - 3] + HOUR;
    if (context->now >= end) return BELFRY_ALLOW;
    const belfry_text code = {0}, message = TEXT("three within an hour are enough");
    reason->explain(reason->owner, &code, &message);
    reason->until(reason->owner, end);
    return BELFRY_DENY;
}

static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    (void)self;
    struct state *state = memory;
    if (!candidate->title.bytes) {
        state->count = -1;
        error->write(error->owner, "there is no title to enter", 26);
        return BELFRY_TOLD_FAILED;
    }
    if (!created) return BELFRY_TOLD_UNCHANGED;
    if (state->at != INT64_MIN && context->now - state->at > state->longest) state->longest = context->now - state->at;
    state->count++;
    state->weight += 0.5;
    state->at = context->now;
    state->is_busy = state->count % 2 == 1;
    state->campaign = candidate->campaign;
    append(&state->lengths, (int64_t)candidate->title.length, context);
    append(&state->times, context->now, context);
    return BELFRY_TOLD_CHANGED;
}

static belfry_told on_opened(void *self, void *memory, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_sink *error) {
    (void)self;
    (void)candidate;
    (void)error;
    ((struct state *)memory)->opened = (struct optional){context->now, 0};
    return BELFRY_TOLD_CHANGED;
}

#define FIELD(name_, type_, member, flags_) \
    {.name = TEXT(name_), .summary = TEXT("a field"), .type = type_, .flags = flags_, .offset = offsetof(struct state, member)}

static const belfry_field fields[] = {
    FIELD("count", BELFRY_FIELD_INTEGER, count, 0),
    FIELD("weight", BELFRY_FIELD_NUMBER, weight, 0),
    FIELD("at", BELFRY_FIELD_INSTANT, at, 0),
    FIELD("longest", BELFRY_FIELD_DURATION, longest, 0),
    FIELD("opened", BELFRY_FIELD_INSTANT, opened, BELFRY_FIELD_OPTIONAL),
    FIELD("campaign", BELFRY_FIELD_TEXT, campaign, 0),
    FIELD("lengths", BELFRY_FIELD_INTEGERS, lengths, 0),
    FIELD("times", BELFRY_FIELD_INSTANTS, times, 0),
    FIELD("isBusy", BELFRY_FIELD_BOOLEAN, is_busy, 0),
};

static const belfry_strategy ledger = {
    .name = TEXT("ledger"),
    .summary = TEXT("At most three within an hour."),
    .state_size = sizeof(struct state),
    .state_alignment = 8,
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .create = create,
    .destroy = destroy,
    .state_init = state_init,
    .should_create = should_create,
    .did_create = did_create,
    .on_opened = on_opened,
};
static const belfry_strategy *const items[] = {&ledger};
static const belfry_strategies strategies = {items, 1};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0 ? &strategies : NULL; }

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("museum.ledger"), .version = TEXT("1.0.0"), .built_with = TEXT("C, contract 1.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
