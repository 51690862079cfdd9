/// Declares fields that cannot be where, or what, it says.
#define ID TEXT("example.wrong-fields")
#define STATE .state_size = 24, .state_alignment = 8, .fields = fields, .field_count = 6
#include "belfry.h"

#define FIELD(name_, type_, offset_, flags_) \
    {.name = {name_, sizeof(name_) - 1}, .type = type_, .offset = offset_, .flags = flags_}

static const belfry_field fields[] = {
    FIELD("count", BELFRY_FIELD_INTEGER, 4, 0),
    FIELD("count", BELFRY_FIELD_INTEGER, 24, 0),
    FIELD("last", 99, 0, 0),
    FIELD("words", BELFRY_FIELD_TEXT, 8, BELFRY_FIELD_OPTIONAL),
    FIELD("more", BELFRY_FIELD_NUMBER, 16, 0),
    FIELD("flag", BELFRY_FIELD_BOOLEAN, 3, 0),
};
#include "well-behaved.h"
