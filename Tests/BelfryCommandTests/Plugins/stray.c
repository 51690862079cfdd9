/// Leaves a list in its state whose address is none.
#include "belfry.h"
#include <stddef.h>

struct state {
    belfry_integers list;
};

static const belfry_field fields[] = {
    {.name = {"list", 4}, .summary = {"of nothing", 10}, .type = BELFRY_FIELD_INTEGERS, .offset = offsetof(struct state, list)},
};

static int64_t none;
static void begin(void *type, void *memory) { *(struct state *)memory = (struct state){{&none, 0}}; }

static belfry_told stray(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                         const belfry_context *context, const belfry_sink *error) {
    ((struct state *)memory)->list = (belfry_integers){(int64_t *)16, 3};
    return BELFRY_TOLD_CHANGED;
}

#define ID TEXT("test.stray")
#define NAME TEXT("stray")
#define STATE                                                                                                          \
    .state_size = sizeof(struct state), .state_alignment = _Alignof(struct state), .fields = fields, .field_count = 1, \
    .state_init = begin, .did_create = stray
#include "../../Misbehaving/well-behaved.h"
