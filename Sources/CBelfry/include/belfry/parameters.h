#ifndef BELFRY_PARAMETERS_H
#define BELFRY_PARAMETERS_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The types of a parameter.
#define BELFRY_PARAMETER_BOOLEAN ((uint32_t)1)
#define BELFRY_PARAMETER_INTEGER ((uint32_t)2)
#define BELFRY_PARAMETER_NUMBER ((uint32_t)3)
#define BELFRY_PARAMETER_TEXT ((uint32_t)4)
#define BELFRY_PARAMETER_DURATION ((uint32_t)5)   ///< `90s`, `1h30m`, `PT5M`; reaches the plugin as BELFRY_DURATION
#define BELFRY_PARAMETER_CHOICE ((uint32_t)6)     ///< one of `choices`; reaches the plugin as BELFRY_TEXT
#define BELFRY_PARAMETER_CONDITION ((uint32_t)7)  ///< CONDITIONS of the configuration; compiled with belfry.conditions/1
#define BELFRY_PARAMETER_OBJECT ((uint32_t)8)     ///< a mapping with the parameters in `members`
#define BELFRY_PARAMETER_ANY ((uint32_t)9)        ///< any value, checked by the plugin alone
#define BELFRY_PARAMETER_NONE ((uint32_t)10)      ///< as the root of a strategy only: it takes no parameters

/// Flags of a parameter.
/// Must be given, and then has no default. Of a root: the strategy cannot do without parameters, and abstains where it has none.
#define BELFRY_PARAMETER_REQUIRED ((uint32_t)1)
#define BELFRY_PARAMETER_IS_LIST ((uint32_t)2)       ///< a list of values of `type`
#define BELFRY_PARAMETER_HAS_MINIMUM ((uint32_t)4)
#define BELFRY_PARAMETER_HAS_MAXIMUM ((uint32_t)8)

/// Describes one parameter: it is checked, explained and turned into JSON Schema from this and nothing else.
typedef struct belfry_parameter_r1 {
    belfry_text name;      ///< as in the configuration; ignored for the root
    belfry_text summary;   ///< one sentence
    belfry_text unit;      ///< m, s, ms, Hz; absent if it has none
    uint32_t type;
    uint32_t flags;
    /// Inclusive; numbers as they are, durations in ms, lists and texts by their length. Of all but a NUMBER a whole number up to 2^53; of
    /// durations, lists and texts not below 0, and the minimum of a length at most 65,536.
    double minimum;
    double maximum;        ///< inclusive
    const belfry_value *default_value;  ///< NULL: none. A duration is BELFRY_DURATION
    const belfry_text *choices;
    uint64_t choice_count;
    /// Names of parameters that this one stands instead of: giving both at one place is an error, and in the cascade this one
    /// removes them from less specific levels.
    const belfry_text *replaces;
    uint64_t replaces_count;
    const struct belfry_parameter_r1 *members;  ///< of an OBJECT
    uint64_t member_count;
} belfry_parameter;

#ifdef __cplusplus
}
#endif

#endif
