/// A filter that edits differently every time.
#include <string.h>

#include "belfry.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

static char only;

static void *create(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) { return &only; }
static void destroy(void *instance) {}

static belfry_status apply(void *instance, const belfry_candidate *candidate, const belfry_context *context, const belfry_edits *edits,
                           const belfry_sink *error) {
    static int turn;
    const char *title = turn++ % 2 ? "Hello" : "Good day";
    edits->set_title(edits->owner, title, strlen(title));
    return BELFRY_OK;
}

static const belfry_filter filter = {.name = TEXT("fickle"), .create = create, .destroy = destroy, .apply = apply};
static const belfry_filter *const items[] = {&filter};
static const belfry_filters filters = {items, 1};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_FILTER) == 0 ? &filters : NULL; }

static const belfry_plugin root = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("example.fickle"), .version = TEXT("1.0.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) { return &root; }
