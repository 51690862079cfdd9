/// Delivers into a file, as the file `mood` has it: without one it takes everything.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "belfry.h"

#define T(literal) {literal, sizeof(literal) - 1}

#ifndef MOOD
#define MOOD ""
#endif

struct bell {
    char file[256], tone[64];
};

static belfry_text text_of(const belfry_value *map, const char *key) {
    for (uint64_t i = 0; map && i < map->count; i++)
        if (map->items[i].key.length == strlen(key) && !memcmp(map->items[i].key.bytes, key, strlen(key)))
            return map->items[i].text;
    return (belfry_text){0};
}

static void copy(char *to, size_t room, belfry_text text) {
    snprintf(to, room, "%.*s", (int)text.length, text.bytes ? text.bytes : "");
}

static void *create_bell(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    struct bell *bell = calloc(1, sizeof *bell);
    copy(bell->file, sizeof bell->file, text_of(parameters, "file"));
    copy(bell->tone, sizeof bell->tone, text_of(parameters, "tone"));
    if (strcmp(bell->tone, "none") != 0) return bell;
    error->write(error->owner, "a bell without a tone\nis none", 29);
    free(bell);
    return NULL;
}

static belfry_delivered says(const belfry_sink *why, const char *text, belfry_delivered delivered) {
    why->write(why->owner, text, strlen(text));
    return delivered;
}

static belfry_delivered deliver(void *instance, const belfry_delivery *delivery, const belfry_sink *why) {
    struct bell *bell = instance;
    char mood[16] = MOOD;
    FILE *moods = fopen("mood", "r");
    if (moods) {
        if (fscanf(moods, "%15s", mood) != 1) *mood = 0;
        fclose(moods);
    }
    if (!strcmp(mood, "crash")) abort();
    if (!strcmp(mood, "exit")) exit(0);
    if (!strcmp(mood, "hang")) {
        fclose(fopen("hangs", "w"));
        for (;;) pause();
    }
    if (!strcmp(mood, "nonsense")) return 77;
    if (!strcmp(mood, "later")) return says(why, "the ringer\r\nis asleep", BELFRY_DELIVER_LATER);
    if (!strcmp(mood, "never")) return says(why, "nobody lives there", BELFRY_DELIVER_NEVER);
    if (!strcmp(mood, "fail")) return says(why, "the rope is torn", BELFRY_DELIVERY_FAILED);
    if (!strcmp(mood, "stop")) return says(why, "the tower is sold", BELFRY_DELIVERY_STOPPED);
    // It is not the answer of its process.
    printf("ding\n");
    fflush(stdout);
    FILE *file = fopen(bell->file, "a");
    if (!file) return says(why, "no such file", BELFRY_DELIVERY_FAILED);
    belfry_text title = text_of(NULL, "");
    for (uint64_t i = 0; i < delivery->decision->count; i++)
        if (delivery->decision->items[i].key.length == 4 && !memcmp(delivery->decision->items[i].key.bytes, "data", 4))
            title = text_of(&delivery->decision->items[i], "title");
    fprintf(file, "%.*s %.*s %.*s %.*s %s %lld %d\n%.*s\n", (int)delivery->id.length, delivery->id.bytes,
            (int)delivery->subject.length, delivery->subject.bytes, (int)delivery->type.length, delivery->type.bytes,
            (int)title.length, title.bytes ? title.bytes : "", bell->tone, (long long)delivery->timeout,
            delivery->now > 1700000000000, (int)delivery->line.length, delivery->line.bytes);
    fclose(file);
    return BELFRY_DELIVERED;
}

static void destroy_bell(void *instance) {
    struct bell *bell = instance;
    FILE *file = fopen(bell->file, "a");
    if (file) {
        fprintf(file, "let go\n");
        fclose(file);
    }
    free(bell);
}

static const belfry_value once = {.kind = BELFRY_INTEGER, .integer = 1, .number = 1};
static const belfry_parameter members[] = {
    {.name = T("file"), .summary = T("where it rings"), .type = BELFRY_PARAMETER_TEXT, .flags = BELFRY_PARAMETER_REQUIRED},
    {.name = T("tone"), .summary = T("how it sounds"), .type = BELFRY_PARAMETER_TEXT},
    {.name = T("strokes"), .summary = T("how often"), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_HAS_MINIMUM | BELFRY_PARAMETER_HAS_MAXIMUM, .minimum = 1, .maximum = 12,
     .default_value = &once},
};
static const belfry_parameter parameters = {.type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = 3,
                                            .flags = BELFRY_PARAMETER_REQUIRED};
static const belfry_sink_type bells = {
    .name = T("bells"), .summary = T("Rings the bells of a tower."), .parameters = &parameters, .create = create_bell,
    .deliver = deliver, .destroy = destroy_bell};
static const belfry_sink_type *const both[] = {&bells};
static const belfry_sink_types sinks = {both, 1};

#ifndef VERSION
#define VERSION TEXT("1.0.0")
#endif
#define ID TEXT("test.bells")
#define OFFERS_NO_STRATEGY
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_SINK) ? &sinks : 0)
#include "../../Misbehaving/well-behaved.h"
