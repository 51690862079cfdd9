/// Refuses wrong parameters, and does not say why.
#include "belfry.h"
static void *shrug(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
#define CREATE shrug
#include "steady.h"
static void say_nothing(void *owner, const char *bytes, uint64_t length) {}
static void *shrug(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    const belfry_sink nowhere = {NULL, say_nothing};
    return create(type, host, parameters, &nowhere);
}
