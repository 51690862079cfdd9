/// Keeps its parameters instead of copying them.
#include "belfry.h"
static const belfry_value *kept;
static volatile uint32_t seen;
static void *keep(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
#define CREATE keep
#define IN_ON_OPENED if (kept) seen = kept->kind;
#include "steady.h"
static void *keep(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    kept = parameters;
    return create(type, host, parameters, error);
}
