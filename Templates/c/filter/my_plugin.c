/// Cuts a title that is too long.
///
/// Read it from the bottom: the entry hands out the root, the root finds the table of filters by name, and the table has one
/// filter, whose functions stand above it. include/belfry says of each who calls it, when, and who owns what.
#include "belfry.h"

#include <stdlib.h>
#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

// MARK: Parameters

#define DEFAULT_LENGTH 40

/// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
static const belfry_value default_length = {.kind = BELFRY_INTEGER, .integer = DEFAULT_LENGTH, .number = DEFAULT_LENGTH};
static const belfry_parameter members[] = {
    {.name = TEXT("length"), .summary = TEXT("how many characters a title may have"), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 1, .default_value = &default_length},
};
static const belfry_parameter parameters_root = {
    .type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = sizeof(members) / sizeof(*members)};

/// The parameters of one place in the configuration. It never changes: it is used for different subjects at once.
struct instance {
    int64_t length;  ///< in characters
};

static const belfry_value *member(const belfry_value *map, const char *key) {
    for (uint64_t i = 0; map && i < map->count; i++) {
        const belfry_text name = map->items[i].key;
        if (name.length == strlen(key) && memcmp(name.bytes, key, name.length) == 0) return &map->items[i];
    }
    return NULL;
}

static void say(const belfry_sink *error, const char *sentence) {
    error->write(error->owner, sentence, strlen(sentence));
}

static void *refuse(const belfry_sink *error, const char *sentence) {
    say(error, sentence);
    return NULL;
}

/// The host has checked the parameters already; another one may not.
static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type, (void)host;
    if (parameters && parameters->kind != BELFRY_MAP) return refuse(error, "parameters are a mapping");
    const belfry_value *length = member(parameters, "length");
    if (length && length->kind != BELFRY_INTEGER) return refuse(error, "'length' is a whole number");
    struct instance *instance = malloc(sizeof(*instance));
    if (!instance) return refuse(error, "there is no memory left");
    instance->length = length ? length->integer : DEFAULT_LENGTH;
    return instance;
}

static void destroy(void *instance) { free(instance); }

// MARK: Edits

/// Where the first `count` characters of a text end, in bytes. Every byte of UTF-8 that does not continue a character begins
/// one.
static uint64_t end_of(belfry_text text, int64_t count) {
    for (uint64_t i = 0; i < text.length; i++)
        if (((unsigned char)text.bytes[i] & 0xC0) != 0x80 && count-- == 0) return i;
    return text.length;
}

/// Pure, like the questions of a strategy: the same notification gets the same edits. What it sets is copied.
static belfry_status apply(void *self, const belfry_candidate *candidate, const belfry_context *context,
                           const belfry_edits *edits, const belfry_sink *error) {
    static const char DOTS[] = "\xE2\x80\xA6";  // …
    (void)context;
    const struct instance *instance = self;
    if (end_of(candidate->title, instance->length) == candidate->title.length) return BELFRY_OK;
    const uint64_t end = end_of(candidate->title, instance->length - 1), dots = sizeof(DOTS) - 1;
    char *title = malloc(end + dots);
    if (!title) {
        say(error, "there is no memory left");
        return BELFRY_FAILED;
    }
    memcpy(title, candidate->title.bytes, end);
    memcpy(title + end, DOTS, dots);
    edits->set_title(edits->owner, title, end + dots);
    free(title);
    return BELFRY_OK;
}

// MARK: The plugin

static const belfry_filter filter = {
    .name = TEXT("my-plugin"),
    .summary = TEXT("Cuts a title that is too long."),
    .parameters = &parameters_root,
    .create = create,
    .destroy = destroy,
    .apply = apply,
};

static const belfry_filter *const items[] = {&filter};
static const belfry_filters filters = {items, sizeof(items) / sizeof(*items)};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_FILTER) == 0 ? &filters : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("my-plugin"), .version = TEXT("0.1.0"), .get_extension = get_extension};

/// The only function that the host looks for.
__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
