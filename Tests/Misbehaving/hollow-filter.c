/// A filter that cannot be applied, under the name of the strategy beside it.
#include "belfry.h"
static void *make(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    return (void *)host;
}
static void drop(void *filter) {}
static const belfry_filter filter = {.name = {"polite", 6}, .create = make, .destroy = drop};
static const belfry_filter *const one[] = {&filter};
static const belfry_filters filters = {one, 1};
#define ID TEXT("example.hollow-filter")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_FILTER) ? &filters : 0)
#include "well-behaved.h"
