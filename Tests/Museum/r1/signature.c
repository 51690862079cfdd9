/// The filter `signature`, written for contract 1.0: it uses every edit that there is.
#include "belfry.h"

#include <stdlib.h>
#include <string.h>

#define TEXT(literal) {(literal), sizeof(literal) - 1}

struct instance {
    char line[64];
    uint64_t length;
};

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type;
    (void)host;
    const belfry_value *line = parameters && parameters->kind == BELFRY_MAP && parameters->count == 1 ? parameters->items : NULL;
    struct instance *instance = line && line->kind == BELFRY_TEXT && line->text.length < 64 ? malloc(sizeof *instance) : NULL;
    if (!instance) {
        const char sentence[] = "'line' is a text of less than 64 bytes";
        error->write(error->owner, sentence, sizeof sentence - 1);
        return NULL;
    }
    memcpy(instance->line, line->text.bytes, line->text.length);
    instance->length = line->text.length;
    return instance;
}

static void destroy(void *instance) { free(instance); }

static belfry_status apply(void *self, const belfry_candidate *candidate, const belfry_context *context, const belfry_edits *edits,
                           const belfry_sink *error) {
    (void)error;
    const struct instance *instance = self;
    void *owner = edits->owner;
    if (!candidate->message.bytes) {
        edits->drop(owner, "there is nothing to sign", 24);
        return BELFRY_OK;
    }
    char text[256];
    uint64_t length = candidate->message.length < 128 ? candidate->message.length : 128;
    memcpy(text, candidate->message.bytes, length);
    text[length] = '\n';
    memcpy(text + length + 1, instance->line, instance->length);
    edits->set_message(owner, text, length + 1 + instance->length);
    edits->set_title(owner, "Signed", 6);
    edits->set_category(owner, "answers", 7);
    const belfry_value data[] = {
        {.kind = BELFRY_TEXT, .text = candidate->campaign, .key = TEXT("campaign")},
        {.kind = BELFRY_INTEGER, .integer = context->now, .number = (double)context->now, .key = TEXT("at")},
    };
    const belfry_value map = {.kind = BELFRY_MAP, .items = data, .count = 2};
    edits->set_data(owner, &map);
    edits->set_presentation(owner, candidate->region_fields);
    const belfry_value button[] = {
        {.kind = BELFRY_TEXT, .text = TEXT("thanks"), .key = TEXT("id")}, {.kind = BELFRY_TEXT, .text = TEXT("Thanks"), .key = TEXT("title")}};
    const belfry_value buttons = {.kind = BELFRY_MAP, .items = button, .count = 2};
    const belfry_value list = {.kind = BELFRY_LIST, .items = &buttons, .count = 1};
    edits->set_buttons(owner, &list);
    return BELFRY_OK;
}

static const belfry_parameter members[] = {
    {.name = TEXT("line"), .summary = TEXT("What stands below the message."), .type = BELFRY_PARAMETER_TEXT,
     .flags = BELFRY_PARAMETER_REQUIRED | BELFRY_PARAMETER_HAS_MAXIMUM, .maximum = 63}};
static const belfry_parameter parameters = {
    .type = BELFRY_PARAMETER_OBJECT, .flags = BELFRY_PARAMETER_REQUIRED, .members = members, .member_count = 1};

static const belfry_filter filter = {
    .name = TEXT("signature"), .summary = TEXT("Signs every message."), .parameters = &parameters, .create = create,
    .destroy = destroy, .apply = apply};
static const belfry_filter *const items[] = {&filter};
static const belfry_filters filters = {items, 1};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_FILTER) == 0 ? &filters : NULL; }

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("museum.signature"), .version = TEXT("1.0.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
