/// Offers everything that can be described, correctly: what a manifest is made of.
#include "belfry.h"

#define T(literal) {literal, sizeof(literal) - 1}

static const belfry_value hour = {.kind = BELFRY_DURATION, .integer = 5400000};
static const belfry_value open = {.kind = BELFRY_TEXT, .text = T("open")};
static const belfry_text boundaries[] = {T("open"), T("closed")};
static const belfry_text calendar[] = {T("period")};
static const belfry_parameter members[] = {
    {.name = T("max"), .summary = T("How many."), .type = BELFRY_PARAMETER_INTEGER,
     .flags = BELFRY_PARAMETER_REQUIRED | BELFRY_PARAMETER_HAS_MINIMUM, .minimum = 0},
    {.name = T("period"), .type = BELFRY_PARAMETER_DURATION, .default_value = &hour},
    {.name = T("boundary"), .type = BELFRY_PARAMETER_CHOICE, .choices = boundaries, .choice_count = 2, .default_value = &open},
    {.name = T("lifetime"), .type = BELFRY_PARAMETER_BOOLEAN, .replaces = calendar, .replaces_count = 1},
    {.name = T("radius"), .type = BELFRY_PARAMETER_NUMBER, .unit = T("m"), .flags = BELFRY_PARAMETER_IS_LIST},
};
static const belfry_parameter object = {.type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = 5};
static const belfry_text cooldown = T("cooldown");

static void state_init(void *type, void *state) {}
static void state_destroy(void *type, void *state) {}
static belfry_status state_load(void *type, void *state, uint32_t version, int64_t now, const belfry_state_reader *reader, const belfry_sink *error) {
    return BELFRY_OK;
}
static void state_save(void *type, const void *state, const belfry_state_writer *writer) {}

#define ID T("example.rich")
#define NAME T("rich")
#define PARAMETERS &object
#define STATE \
    .default_counter = T("campaign"), .before = &cooldown, .before_count = 1, .order_reason = T("It counts what cooldown refuses."), \
    .state_size = 16, .state_alignment = 8, .state_version = 2, .state_init = state_init, .state_destroy = state_destroy, \
    .state_load = state_load, .state_save = state_save
#include "well-behaved.h"
