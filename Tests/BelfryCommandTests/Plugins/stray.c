/// Leaves a text or list in its state that makes no sense. SIN: 0 is a list whose address is none, 1 one that is too long, 2 one without an
/// address, 3 a text that is too long, 4 one that is no UTF-8.
#include "belfry.h"
#include <stddef.h>

struct state {
    belfry_integers list;
    belfry_text text;
};

static const belfry_field fields[] = {
    {.name = {"list", 4}, .summary = {"of nothing", 10}, .type = BELFRY_FIELD_INTEGERS, .offset = offsetof(struct state, list)},
    {.name = {"text", 4}, .summary = {"of nothing", 10}, .type = BELFRY_FIELD_TEXT, .offset = offsetof(struct state, text)},
};

static int64_t none;
static void begin(void *type, void *memory) { *(struct state *)memory = (struct state){{&none, 0}, {"", 0}}; }

static belfry_told stray(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                         const belfry_context *context, const belfry_sink *error) {
    struct state *state = memory;
    switch (SIN) {
    case 0: state->list = (belfry_integers){(int64_t *)16, 3}; break;
    case 1: state->list = (belfry_integers){&none, (1 << 20) + 1}; break;
    case 2: state->list = (belfry_integers){NULL, 3}; break;
    case 3: state->text = (belfry_text){"", (1 << 20) + 1}; break;
    case 4: state->text = (belfry_text){"\xff", 1}; break;
    }
    return BELFRY_TOLD_CHANGED;
}

#define ID TEXT("test.stray")
#define NAME TEXT("stray")
#define STATE                                                                                                          \
    .state_size = sizeof(struct state), .state_alignment = _Alignof(struct state), .fields = fields, .field_count = 2, \
    .state_init = begin, .did_create = stray
#include "../../Misbehaving/well-behaved.h"
