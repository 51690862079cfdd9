/// Bounds and defaults that nothing could be compared with, and a counter that there is not.
#include "belfry.h"

#define T(literal) {literal, sizeof(literal) - 1}

static const belfry_value no_number = {.kind = BELFRY_NUMBER, .number = __builtin_nan("")};
static const belfry_value past = {.kind = BELFRY_DURATION, .integer = -5000};

static const belfry_parameter members[] = {
    {.name = T("endless"), .type = BELFRY_PARAMETER_DURATION, .flags = BELFRY_PARAMETER_HAS_MAXIMUM, .maximum = 1e300},
    {.name = T("infinite"), .type = BELFRY_PARAMETER_NUMBER, .flags = BELFRY_PARAMETER_HAS_MAXIMUM, .maximum = __builtin_inf()},
    {.name = T("negative"), .type = BELFRY_PARAMETER_TEXT, .flags = BELFRY_PARAMETER_HAS_MAXIMUM, .maximum = -1},
    {.name = T("countless"), .type = BELFRY_PARAMETER_TEXT, .flags = BELFRY_PARAMETER_IS_LIST | BELFRY_PARAMETER_HAS_MINIMUM,
     .minimum = 1000000000},
    {.name = T("no-number"), .type = BELFRY_PARAMETER_NUMBER, .default_value = &no_number},
    {.name = T("past"), .type = BELFRY_PARAMETER_DURATION, .default_value = &past},
};
static const belfry_parameter object = {.type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = 6};

#define PARAMETERS &object
#define STATE .default_counter = T("campagin")
#include "well-behaved.h"
