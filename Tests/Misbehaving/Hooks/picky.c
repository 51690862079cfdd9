/// Takes one limit alone, of which its description says nothing.
#include "belfry.h"
static void *pick(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
#define CREATE pick
#include "steady.h"
static void *pick(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    struct instance *made = create(type, host, parameters, error);
    if (!made || made->limit == 7777) return made;
    free(made);
    return refuse(error, "the limit is 7777");
}
