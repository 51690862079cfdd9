/// A description of parameters in which nothing holds together.
#include "belfry.h"

#define T(literal) {literal, sizeof(literal) - 1}
#define RANGE BELFRY_PARAMETER_HAS_MINIMUM | BELFRY_PARAMETER_HAS_MAXIMUM

static const belfry_value three = {.kind = BELFRY_INTEGER, .integer = 3, .number = 3};
static const belfry_value minute = {.kind = BELFRY_DURATION, .integer = 60000};
static const belfry_value purple = {.kind = BELFRY_TEXT, .text = T("purple")};
static const belfry_text colours[] = {T("red"), T("green")};
static const belfry_text nobody[] = {T("nobody")};

static const belfry_parameter members[] = {
    {.name = T("upside-down"), .type = BELFRY_PARAMETER_INTEGER, .flags = RANGE, .minimum = 9, .maximum = 1},
    {.name = T("too-small"), .type = BELFRY_PARAMETER_INTEGER, .flags = RANGE, .minimum = 5, .maximum = 9, .default_value = &three},
    {.name = T("both"), .type = BELFRY_PARAMETER_INTEGER, .flags = BELFRY_PARAMETER_REQUIRED, .default_value = &three},
    {.name = T("wrong-kind"), .type = BELFRY_PARAMETER_INTEGER, .default_value = &minute},
    {.name = T("colour"), .type = BELFRY_PARAMETER_CHOICE, .choices = colours, .choice_count = 2, .default_value = &purple},
    {.name = T("no-choice"), .type = BELFRY_PARAMETER_CHOICE},
    {.name = T("hollow"), .type = BELFRY_PARAMETER_OBJECT},
    {.name = T("unheard-of"), .type = 99},
    {.name = T("instead"), .type = BELFRY_PARAMETER_ANY, .replaces = nobody, .replaces_count = 1},
    {.name = T("both"), .type = BELFRY_PARAMETER_BOOLEAN},
};
static const belfry_parameter object = {.type = BELFRY_PARAMETER_OBJECT, .members = members, .member_count = 10};

#define PARAMETERS &object
#include "well-behaved.h"
