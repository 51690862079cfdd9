/// The strategy `siesta`, written for contract 1.0: a pause after each notification, and nothing early in the afternoon. It uses
/// every kind of parameter and verdict, a state that saves itself with every kind of value, and every table of the host but one.
#include "belfry.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {(literal), sizeof(literal) - 1}
#define KEY(name) (name), sizeof(name) - 1

struct state {
    int64_t count;
    double share;
    belfry_bool is_tired;
    char campaign[32];
    uint64_t campaign_length;
    uint8_t mark[4];
    int64_t at;
    int64_t times[4];
};

struct instance {
    const belfry_log *log;
    const belfry_host *host;
    const belfry_local_time *local_time;
    const belfry_attributes *attributes;
    const belfry_conditions *conditions;
    const belfry_condition *only;
    int64_t pause, limit;
    belfry_bool is_wild;
};

static void *refuse(const belfry_sink *error, const char *sentence) {
    error->write(error->owner, sentence, strlen(sentence));
    return NULL;
}

static int is(belfry_text text, const char *word) {
    return text.bytes && text.length == strlen(word) && memcmp(text.bytes, word, text.length) == 0;
}

// MARK: Parameters

static const char *take(struct instance *instance, const belfry_value *item, const belfry_sink *error) {
    if (is(item->key, "pause")) {
        if (item->kind != BELFRY_DURATION) return "'pause' is no duration";
        instance->pause = item->integer;
    } else if (is(item->key, "limit")) {
        if (item->kind != BELFRY_INTEGER) return "'limit' is no whole number";
        instance->limit = item->integer;
    } else if (is(item->key, "mood")) {
        if (!is(item->text, "calm") && !is(item->text, "wild")) return "'mood' is calm or wild";
        instance->is_wild = is(item->text, "wild");
    } else if (is(item->key, "only")) {
        if (item->kind != BELFRY_MAP) return "'only' is no condition";
        instance->only = instance->conditions->compile(instance->host, item, error);
        if (!instance->only) return "";
    }
    return NULL;
}

static void destroy(void *self) {
    struct instance *instance = self;
    if (instance->only) instance->conditions->release(instance->only);
    free(instance);
}

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type;
    if (!parameters || parameters->kind != BELFRY_MAP) return refuse(error, "'pause' is missing");
    struct instance *instance = calloc(1, sizeof *instance);
    if (!instance) return refuse(error, "there is no memory");
    instance->host = host;
    instance->log = host->get_extension(host, BELFRY_EXTENSION_LOG);
    instance->local_time = host->get_extension(host, BELFRY_EXTENSION_LOCAL_TIME);
    instance->attributes = host->get_extension(host, BELFRY_EXTENSION_ATTRIBUTES);
    instance->conditions = host->get_extension(host, BELFRY_EXTENSION_CONDITIONS);
    instance->pause = -1;
    instance->limit = 2;
    const char *problem = NULL;
    if (!instance->log || !instance->local_time || !instance->attributes || !instance->conditions)
        problem = "the host lacks a table of contract 1.0";
    for (uint64_t index = 0; !problem && index < parameters->count; index++)
        problem = take(instance, &parameters->items[index], error);
    if (!problem && instance->pause < 0) problem = "'pause' is missing";
    if (!problem) return instance;
    destroy(instance);
    return refuse(error, problem);
}

// MARK: State

static void state_init(void *type, void *memory) {
    (void)type;
    memset(memory, 0, sizeof(struct state));
}

static void state_destroy(void *type, void *memory) {
    (void)type;
    (void)memory;
}

static belfry_status state_load(void *type, void *memory, uint32_t version, int64_t now, const belfry_state_reader *reader,
                                const belfry_sink *error) {
    (void)type;
    (void)error;
    (void)now;
    struct state *state = memory;
    void *owner = reader->owner;
    // Version 1 called it `n`.
    if (version < 2) reader->integer(owner, KEY("n"), &state->count);
    reader->integer(owner, KEY("count"), &state->count);
    reader->number(owner, KEY("share"), &state->share);
    reader->boolean(owner, KEY("isTired"), &state->is_tired);
    reader->instant(owner, KEY("at"), &state->at);
    belfry_text text;
    if (reader->text(owner, KEY("campaign"), &text) && text.length <= sizeof state->campaign) {
        memcpy(state->campaign, text.bytes, text.length);
        state->campaign_length = text.length;
    }
    if (reader->bytes(owner, KEY("mark"), &text) && text.length == sizeof state->mark) memcpy(state->mark, text.bytes, sizeof state->mark);
    const int64_t *times;
    uint64_t count;
    if (reader->integers(owner, KEY("times"), &times, &count) && count == 4) memcpy(state->times, times, sizeof state->times);
    return BELFRY_OK;
}

static void state_save(void *type, const void *memory, const belfry_state_writer *writer) {
    (void)type;
    const struct state *state = memory;
    void *owner = writer->owner;
    writer->integer(owner, KEY("count"), state->count);
    writer->number(owner, KEY("share"), state->share);
    writer->boolean(owner, KEY("isTired"), state->is_tired);
    writer->text(owner, KEY("campaign"), state->campaign, state->campaign_length);
    writer->bytes(owner, KEY("mark"), state->mark, sizeof state->mark);
    if (state->at) writer->instant(owner, KEY("at"), state->at);
    writer->integers(owner, KEY("times"), state->times, 4);
}

// MARK: Decisions

static void explain(const belfry_reason *reason, const char *code, const char *message) {
    const belfry_text word = {code, strlen(code)}, sentence = {message, strlen(message)};
    reason->explain(reason->owner, &word, &sentence);
}

/// The end of the siesta, from 14 to 15 o'clock where the subject is; 0 outside of it.
static int64_t siesta_end(const struct instance *instance, const belfry_context *context) {
    const belfry_zone *zone = instance->local_time->zone_of_subject(context);
    int64_t hour = 3600000, day = instance->local_time->local_day(zone, context->now);
    int64_t end = instance->local_time->start_of_day(zone, day) + 15 * hour, next;
    if (instance->local_time->next_transition(zone, context->now, &next) && next < end) return 0;
    return context->now >= end - hour && context->now < end ? end : 0;
}

static belfry_verdict should_create(void *self, const void *memory, const belfry_candidate *candidate, const belfry_context *context,
                                    const belfry_reason *reason) {
    const struct instance *instance = self;
    const struct state *state = memory;
    if (instance->only && !instance->conditions->holds(instance->only, candidate, context)) return BELFRY_ABSTAIN;
    const belfry_value *tier = instance->attributes->value(context, KEY("user.tier"));
    if (tier && tier->kind == BELFRY_TEXT && is(tier->text, "black")) return BELFRY_ALLOW;
    if (state->count >= instance->limit) {
        explain(reason, "tired", "there were enough until one is opened");
        return BELFRY_DENY;
    }
    if (state->at && context->now < state->at + instance->pause) {
        explain(reason, "pause", "the last one was a moment ago");
        reason->until(reason->owner, state->at + instance->pause);
        return BELFRY_DENY;
    }
    int64_t end = instance->is_wild ? 0 : siesta_end(instance, context);
    if (!end) return BELFRY_ALLOW;
    explain(reason, "siesta", "it is too hot now");
    reason->until(reason->owner, end);
    return BELFRY_DEFER;
}

static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    (void)error;
    struct instance *instance = self;
    struct state *state = memory;
    if (!created) return BELFRY_TOLD_UNCHANGED;
    state->times[state->count & 3] = context->now;
    state->count++;
    state->share = (double)state->count / (double)(instance->limit ? instance->limit : 1);
    state->is_tired = state->count >= instance->limit;
    state->campaign_length = candidate->campaign.length < sizeof state->campaign ? candidate->campaign.length : sizeof state->campaign;
    memcpy(state->campaign, candidate->campaign.bytes, state->campaign_length);
    memcpy(state->mark, "r1\0\xff", 4);
    state->at = context->now;
    instance->log->write(instance->host, BELFRY_LOG_DEBUG, KEY("one more"));
    return BELFRY_TOLD_CHANGED;
}

static belfry_verdict should_delete(void *self, const void *memory, const belfry_candidate *candidate, const belfry_context *context,
                                    const belfry_reason *reason) {
    (void)self;
    (void)candidate;
    const struct state *state = memory;
    if (!state->at || context->now - state->at >= 60000) return BELFRY_ALLOW;
    explain(reason, "fresh", "it is not a minute old");
    reason->until(reason->owner, state->at + 60000);
    return BELFRY_DENY;
}

static belfry_told did_delete(void *self, void *memory, const belfry_candidate *candidate, belfry_bool deleted,
                              const belfry_context *context, const belfry_sink *error) {
    (void)self;
    (void)candidate;
    (void)context;
    (void)error;
    if (deleted) ((struct state *)memory)->mark[2] = 1;
    return deleted ? BELFRY_TOLD_CHANGED : BELFRY_TOLD_UNCHANGED;
}

static belfry_told on_opened(void *self, void *memory, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_sink *error) {
    (void)self;
    (void)candidate;
    (void)context;
    (void)error;
    struct state *state = memory;
    state->count = 0;
    state->is_tired = 0;
    return BELFRY_TOLD_CHANGED;
}

static belfry_told on_background(void *self, void *memory, const belfry_context *context, const belfry_sink *error) {
    (void)self;
    (void)error;
    ((struct state *)memory)->times[3] = context->app_since;
    return BELFRY_TOLD_CHANGED;
}

static belfry_told on_foreground(void *self, void *memory, const belfry_context *context, const belfry_sink *error) {
    (void)self;
    (void)error;
    ((struct state *)memory)->times[2] = context->app_since;
    return BELFRY_TOLD_CHANGED;
}

static belfry_told on_start_monitoring(void *self, void *memory, const belfry_text *region, const belfry_context *context,
                                       const belfry_sink *error) {
    (void)self;
    (void)context;
    (void)error;
    ((struct state *)memory)->mark[3] = (uint8_t)region->length;
    return BELFRY_TOLD_CHANGED;
}

static belfry_told update_parameters(void *self, void *memory, const belfry_context *context, const belfry_sink *error) {
    (void)context;
    (void)error;
    struct state *state = memory;
    state->is_tired = state->count >= ((struct instance *)self)->limit;
    return BELFRY_TOLD_CHANGED;
}

// MARK: The plugin

static const belfry_value two = {.kind = BELFRY_INTEGER, .integer = 2, .number = 2};
static const belfry_value calm = {.kind = BELFRY_TEXT, .text = TEXT("calm")};
static const belfry_text moods[] = {TEXT("calm"), TEXT("wild")};
static const belfry_parameter members[] = {
    {.name = TEXT("pause"), .summary = TEXT("How long nothing comes after one that was created."), .type = BELFRY_PARAMETER_DURATION,
     .flags = BELFRY_PARAMETER_REQUIRED | BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 0},
    {.name = TEXT("limit"), .summary = TEXT("How many until one is opened."), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM | BELFRY_PARAMETER_HAS_MAXIMUM, .minimum = 1, .maximum = 100, .default_value = &two},
    {.name = TEXT("mood"), .summary = TEXT("Whether there is a siesta."), .type = BELFRY_PARAMETER_CHOICE, .choices = moods,
     .choice_count = 2, .default_value = &calm},
    {.name = TEXT("only"), .summary = TEXT("For whom."), .type = BELFRY_PARAMETER_CONDITION},
};
static const belfry_parameter parameters = {
    .type = BELFRY_PARAMETER_OBJECT, .flags = BELFRY_PARAMETER_REQUIRED, .members = members, .member_count = 4};
static const belfry_text after[] = {TEXT("segmentation")};

static const belfry_strategy siesta = {
    .name = TEXT("siesta"),
    .summary = TEXT("A pause after each, and none early in the afternoon."),
    .parameters = &parameters,
    .default_counter = TEXT("subject"),
    .after = after,
    .after_count = 1,
    .order_reason = TEXT("It counts what segments let through."),
    .state_size = sizeof(struct state),
    .state_alignment = 8,
    .state_version = 2,
    .create = create,
    .destroy = destroy,
    .state_init = state_init,
    .state_destroy = state_destroy,
    .state_load = state_load,
    .state_save = state_save,
    .should_create = should_create,
    .did_create = did_create,
    .should_delete = should_delete,
    .did_delete = did_delete,
    .on_opened = on_opened,
    .on_background = on_background,
    .on_foreground = on_foreground,
    .on_start_monitoring = on_start_monitoring,
    .update_parameters = update_parameters,
};
static const belfry_strategy *const items[] = {&siesta};
static const belfry_strategies strategies = {items, 1};

static belfry_status init(const belfry_host *host, const belfry_sink *error) {
    if (host->abi_major == 1) return BELFRY_OK;
    refuse(error, "this host speaks another contract");
    return BELFRY_FAILED;
}

static void deinit(void) {}

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_STRATEGY) == 0 ? &strategies : NULL; }

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC,
    .abi_major = BELFRY_ABI_MAJOR,
    .abi_minor = BELFRY_ABI_MINOR,
    .size = sizeof(belfry_plugin),
    .id = TEXT("museum.siesta"),
    .version = TEXT("1.0.0"),
    .built_with = TEXT("C, contract 1.0"),
    .init = init,
    .deinit = deinit,
    .get_extension = get_extension,
};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    return hello->magic == BELFRY_MAGIC ? &plugin : NULL;
}
