/// A plugin with one sink, in as few lines as possible. Who includes it defines DELIVER, what it does with a decision.
#ifndef SINK_H
#define SINK_H

#include <stdlib.h>
#include <string.h>

#include "belfry.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

static char only;

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) { return &only; }
static void destroy(void *instance) {}

static belfry_delivered deliver(void *instance, const belfry_delivery *delivery, const belfry_sink *why) { DELIVER; }

static const belfry_sink_type sink = {.name = TEXT("well"), .create = create, .deliver = deliver, .destroy = destroy};
static const belfry_sink_type *const items[] = {&sink};
static const belfry_sink_types sinks = {items, 1};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_SINK) == 0 ? &sinks : NULL; }

static const belfry_plugin root = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("example.well"), .version = TEXT("1.0.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) { return &root; }

#endif
