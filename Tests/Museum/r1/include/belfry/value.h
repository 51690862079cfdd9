#ifndef BELFRY_VALUE_H
#define BELFRY_VALUE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The kinds of a `belfry_value`. DURATION and INSTANT occur in parameters only, where the description asked for them.
#define BELFRY_NULL ((uint32_t)0)
#define BELFRY_BOOLEAN ((uint32_t)1)   ///< in `integer`, 0 or 1
#define BELFRY_INTEGER ((uint32_t)2)   ///< in `integer`; `number` holds it too
#define BELFRY_NUMBER ((uint32_t)3)    ///< in `number`
#define BELFRY_TEXT ((uint32_t)4)      ///< in `text`
#define BELFRY_LIST ((uint32_t)5)      ///< in `items`
#define BELFRY_MAP ((uint32_t)6)       ///< in `items`, each with its `key`, in their order
#define BELFRY_DURATION ((uint32_t)7)  ///< in `integer`, ms
#define BELFRY_INSTANT ((uint32_t)8)   ///< in `integer`, ms since 1970 UTC

/// A JSON value. Which members count depends on `kind`; the others are zero. No union, so that every language can read it.
typedef struct belfry_value_r1 {
    uint32_t kind;
    uint32_t reserved;
    int64_t integer;
    double number;
    belfry_text text;
    belfry_text key;  ///< inside a map; absent elsewhere
    const struct belfry_value_r1 *items;
    uint64_t count;   ///< of `items`
} belfry_value;

#ifdef __cplusplus
}
#endif

#endif
