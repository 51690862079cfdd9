/// Takes parameters without looking at them.
#include "belfry.h"
static void *accept(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
#define CREATE accept
#include "steady.h"
static void *accept(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    return make(parameters && parameters->count == 1 ? parameters->items[0].integer : 3);
}
