/// Takes whatever it gets for a mapping with something in it.
#include "belfry.h"
static void *trust(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
#define CREATE trust
#include "steady.h"
static void *trust(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    if (parameters && parameters->kind != BELFRY_MAP) return make(parameters->items[0].integer);
    return create(type, host, parameters, error);
}
