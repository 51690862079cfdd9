/// The filter `shorten`: cuts titles and messages that a device would cut, but between two words.
///
/// A whole plugin in plain C, against belfry.h alone. Read it from the bottom: the entry hands out the root, the root finds the
/// table of filters by name, and the table has one filter, whose functions stand above it.
#include "belfry.h"

#include <stdlib.h>
#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

// MARK: Parameters

#define DEFAULT_TITLE 50
#define DEFAULT_MESSAGE 150

static const belfry_value title_default = {.kind = BELFRY_INTEGER, .integer = DEFAULT_TITLE, .number = DEFAULT_TITLE};
static const belfry_value message_default = {.kind = BELFRY_INTEGER, .integer = DEFAULT_MESSAGE, .number = DEFAULT_MESSAGE};
static const belfry_parameter members[] = {
    {.name = TEXT("title"), .summary = TEXT("how many characters a title may have"), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 1, .default_value = &title_default},
    {.name = TEXT("message"), .summary = TEXT("how many characters a message may have"), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 1, .default_value = &message_default},
};
static const belfry_parameter parameters_root = {
    .type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = sizeof(members) / sizeof(*members)};

/// The limits at one place of the configuration. It never changes: it is used for different subjects at once.
struct instance {
    int64_t title;
    int64_t message;
};

static void *refuse(const belfry_sink *error, const char *sentence) {
    error->write(error->owner, sentence, strlen(sentence));
    return NULL;
}

/// Takes the whole number under that key, if there is one; false if it is something else.
static int take(const belfry_value *map, const char *key, int64_t *number) {
    for (uint64_t i = 0; map && i < map->count; i++) {
        const belfry_text name = map->items[i].key;
        if (name.length != strlen(key) || memcmp(name.bytes, key, name.length) != 0) continue;
        if (map->items[i].kind != BELFRY_INTEGER) return 0;
        *number = map->items[i].integer;
    }
    return 1;
}

/// The host has checked the parameters already; another one may not.
static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type, (void)host;
    struct instance limits = {DEFAULT_TITLE, DEFAULT_MESSAGE};
    if (parameters && parameters->kind != BELFRY_MAP) return refuse(error, "parameters are a mapping");
    if (!take(parameters, "title", &limits.title)) return refuse(error, "'title' is a whole number");
    if (!take(parameters, "message", &limits.message)) return refuse(error, "'message' is a whole number");
    struct instance *instance = malloc(sizeof(*instance));
    if (!instance) return refuse(error, "there is no memory left");
    *instance = limits;
    return instance;
}

static void destroy(void *instance) { free(instance); }

// MARK: Cutting

/// Characters are Unicode scalars here: every byte of UTF-8 that does not continue one begins one.
static int begins_character(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

/// Where a text of at most `limit` characters ends, an ellipsis included: after a whole word if there is one, never inside a
/// character. The text's own length if it fits.
static uint64_t end_within(belfry_text text, int64_t limit) {
    int64_t characters = 0;
    uint64_t cut = 0, word = 0;  // in bytes: where `limit - 1` characters end, and the last word before that
    for (uint64_t i = 0; i < text.length; i++) {
        if (!begins_character(text.bytes[i])) continue;
        if (++characters > limit) return word > 0 ? word : cut;
        if (characters <= limit) {
            cut = i;
            if (text.bytes[i] == ' ' && i > 0 && text.bytes[i - 1] != ' ') word = i;
        }
    }
    return text.length;
}

typedef void setter(void *owner, const char *text, uint64_t length);

/// Sets the shortened text; one that fits is left alone.
static belfry_status shorten(belfry_text text, int64_t limit, setter *set, const belfry_edits *edits, const belfry_sink *error) {
    static const char ELLIPSIS[] = "\xE2\x80\xA6";  // …
    const uint64_t end = end_within(text, limit), dots = sizeof(ELLIPSIS) - 1;
    if (end == text.length) return BELFRY_OK;
    char *shortened = malloc(end + dots);
    if (!shortened) {
        static const char why[] = "there is no memory left";
        error->write(error->owner, why, sizeof(why) - 1);
        return BELFRY_FAILED;
    }
    memcpy(shortened, text.bytes, end);
    memcpy(shortened + end, ELLIPSIS, dots);
    set(edits->owner, shortened, end + dots);
    free(shortened);
    return BELFRY_OK;
}

static belfry_status apply(void *self, const belfry_candidate *candidate, const belfry_context *context,
                           const belfry_edits *edits, const belfry_sink *error) {
    (void)context;
    const struct instance *limits = self;
    const belfry_status status = shorten(candidate->title, limits->title, edits->set_title, edits, error);
    if (status != BELFRY_OK) return status;
    return shorten(candidate->message, limits->message, edits->set_message, edits, error);
}

// MARK: The plugin

static const belfry_filter filter = {
    .name = TEXT("shorten"), .summary = TEXT("Cuts long titles and messages between two words."),
    .parameters = &parameters_root, .create = create, .destroy = destroy, .apply = apply};
static const belfry_filter *const items[] = {&filter};
static const belfry_filters filters = {items, 1};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_FILTER) == 0 ? &filters : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("shorten"), .version = TEXT("1.0.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
