/// Keeps a name in a state that saves itself, "first" for its version 1.0.0 and "next" for others. SPOILED: 1 cannot load what the first
/// version has saved, 2 does not survive it.
#include <string.h>
#include "belfry.h"

#ifndef KEEPER_VERSION
#define KEEPER_VERSION "1.0.0"
#endif
#ifndef SPOILED
#define SPOILED 0
#endif

struct state {
    int64_t told;
};

static void state_init(void *type, void *memory) { *(struct state *)memory = (struct state){0}; }
static void state_destroy(void *type, void *memory) {}

static belfry_status state_load(void *type, void *memory, uint32_t version, int64_t now, const belfry_state_reader *reader,
                                const belfry_sink *error) {
    belfry_text name = {0, 0};
    if (!reader->text(reader->owner, "name", 4, &name)) return BELFRY_OK;
    int is_first = name.length == 5 && memcmp(name.bytes, "first", 5) == 0;
    if (SPOILED == 1 && is_first) return BELFRY_FAILED;
    if (SPOILED == 2 && is_first) *(volatile int *)8 = 1;
    return reader->integer(reader->owner, "told", 4, &((struct state *)memory)->told) ? BELFRY_OK : BELFRY_FAILED;
}

static void state_save(void *type, const void *memory, const belfry_state_writer *writer) {
    const char *name = KEEPER_VERSION[0] == '1' ? "first" : "next";
    int64_t told = ((const struct state *)memory)->told;
    if (!told) return;
    writer->text(writer->owner, "name", 4, name, strlen(name));
    writer->integer(writer->owner, "told", 4, told);
}

static belfry_told did_create(void *self, void *memory, const belfry_candidate *candidate, belfry_bool created,
                              const belfry_context *context, const belfry_sink *error) {
    ((struct state *)memory)->told++;
    return BELFRY_TOLD_CHANGED;
}

#define ID TEXT("test.keeper")
#define VERSION TEXT(KEEPER_VERSION)
#define NAME TEXT("keeper")
#define STATE .state_size = sizeof(struct state), .state_alignment = _Alignof(struct state), .state_init = state_init, \
    .state_destroy = state_destroy, .state_load = state_load, .state_save = state_save, .did_create = did_create
#include "../../Misbehaving/well-behaved.h"
