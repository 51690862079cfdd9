/// Writes a line for each notification into a file.
///
/// Read it from the bottom: the entry hands out the root, the root finds the table of sinks by name, and the table has one type
/// of sinks, whose functions stand above it. include/belfry/delivery.h says of each who calls it, when, and who owns what.
#include "belfry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

// MARK: Parameters

/// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
static const belfry_parameter members[] = {
    {.name = TEXT("file"), .summary = TEXT("what is written to"), .type = BELFRY_PARAMETER_TEXT,
     .flags = BELFRY_PARAMETER_REQUIRED},
};
static const belfry_parameter parameters_root = {
    .type = BELFRY_PARAMETER_OBJECT, .flags = BELFRY_PARAMETER_REQUIRED, .members = members,
    .member_count = sizeof(members) / sizeof(*members)};

/// One sink of the configuration. It has a process of its own, and one thread calls it.
struct instance {
    char *file;
};

static const belfry_value *member(const belfry_value *map, const char *key) {
    for (uint64_t i = 0; map && i < map->count; i++) {
        const belfry_text name = map->items[i].key;
        if (name.length == strlen(key) && memcmp(name.bytes, key, name.length) == 0) return &map->items[i];
    }
    return NULL;
}

static void say(const belfry_sink *sink, const char *sentence) { sink->write(sink->owner, sentence, strlen(sentence)); }

static void *refuse(const belfry_sink *error, const char *sentence) {
    say(error, sentence);
    return NULL;
}

/// The host has checked the parameters already; another one may not. What may be out of reach is left to `deliver`.
static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    (void)type, (void)host;
    const belfry_value *file = member(parameters, "file");
    if (!file || file->kind != BELFRY_TEXT) return refuse(error, "'file' is a text");
    struct instance *instance = calloc(1, sizeof(*instance));
    char *name = calloc(1, file->text.length + 1);
    if (!instance || !name) return refuse(error, "there is no memory left");
    memcpy(name, file->text.bytes, file->text.length);
    instance->file = name;
    return instance;
}

static void destroy(void *self) {
    struct instance *instance = self;
    free(instance->file);
    free(instance);
}

// MARK: Deliveries

/// A decision that was taken once may come again after a crash, with the same id.
static belfry_delivered deliver(void *self, const belfry_delivery *delivery, const belfry_sink *why) {
    const struct instance *instance = self;
    const belfry_value *title = member(member(delivery->decision, "data"), "title");
    if (!title || title->kind != BELFRY_TEXT) {
        say(why, "it has no title");
        return BELFRY_DELIVER_NEVER;
    }
    FILE *file = fopen(instance->file, "a");
    if (!file) {
        say(why, "the file cannot be opened");
        return BELFRY_DELIVERY_FAILED;
    }
    fprintf(file, "%.*s: %.*s\n", (int)delivery->subject.length, delivery->subject.bytes, (int)title->text.length,
            title->text.bytes);
    if (fclose(file) == 0) return BELFRY_DELIVERED;
    say(why, "the file cannot be written");
    return BELFRY_DELIVERY_FAILED;
}

// MARK: The plugin

static const belfry_sink_type sink = {
    .name = TEXT("my-plugin"),
    .summary = TEXT("Writes a line for each notification into a file."),
    .parameters = &parameters_root,
    .create = create,
    .deliver = deliver,
    .destroy = destroy,
};

static const belfry_sink_type *const items[] = {&sink};
static const belfry_sink_types sinks = {items, sizeof(items) / sizeof(*items)};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_SINK) == 0 ? &sinks : NULL; }

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("my-plugin"), .version = TEXT("0.1.0"), .get_extension = get_extension};

/// The only function that the host looks for.
__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
