/// Takes any text for a choice.
#include "belfry.h"
static const belfry_text modes[] = {{"strict", 6}, {"loose", 5}};
static void *take(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error);
#define MORE_MEMBERS \
    {.name = TEXT("mode"), .summary = TEXT("Of no use."), .type = BELFRY_PARAMETER_CHOICE, .choices = modes, .choice_count = 2},
#define CREATE take
#include "steady.h"
static void *take(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    for (uint64_t index = 0; parameters && parameters->kind == BELFRY_MAP && index < parameters->count; index++) {
        const belfry_value *item = &parameters->items[index];
        if (item->key.length == 4 && item->kind != BELFRY_TEXT) return refuse(error, "'mode' is no text");
    }
    return create(type, host, parameters, error);
}
