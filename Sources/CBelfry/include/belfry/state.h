#ifndef BELFRY_STATE_H
#define BELFRY_STATE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The types of a field of a state, and what lies at its offset.
///
/// A text has at most 2^20 bytes, a list at most 2^20 elements. With more when a hook returns, or with a text that is no UTF-8, the call is a
/// fault, and the state stays what it was.
#define BELFRY_FIELD_BOOLEAN ((uint32_t)1)   ///< uint8_t, 0 or 1
#define BELFRY_FIELD_INTEGER ((uint32_t)2)   ///< int64_t
#define BELFRY_FIELD_NUMBER ((uint32_t)3)    ///< double
#define BELFRY_FIELD_INSTANT ((uint32_t)4)   ///< int64_t, ms since 1970-01-01T00:00:00Z; INT64_MIN is never, and shown as no value
#define BELFRY_FIELD_DURATION ((uint32_t)5)  ///< int64_t, ms
#define BELFRY_FIELD_TEXT ((uint32_t)6)      ///< belfry_text; absent is stored as empty, and both are shown as no value
#define BELFRY_FIELD_INTEGERS ((uint32_t)7)  ///< belfry_integers
#define BELFRY_FIELD_INSTANTS ((uint32_t)8)  ///< belfry_integers, in ms since 1970-01-01T00:00:00Z

/// Flags of a field.
/// A number that may be absent: behind its 8 bytes lies a uint8_t, 0 if there is a value and 1 if there is none. A boolean that is absent is 2.
#define BELFRY_FIELD_OPTIONAL ((uint32_t)1)

/// A list inside a state.
typedef struct belfry_integers_r1 {
    const int64_t *items;
    uint64_t count;
} belfry_integers;

/// Describes one field of a state: it is stored by its name, shown, and migrated by name and type from this and nothing else.
typedef struct belfry_field_r1 {
    belfry_text name;     ///< required; unique in the state
    belfry_text summary;  ///< one sentence
    belfry_text unit;     ///< m, s, Hz; absent if it has none
    uint32_t type;        ///< BELFRY_FIELD_…
    uint32_t flags;
    uint64_t offset;      ///< in bytes, from the beginning of the state
} belfry_field;

/// Reads the saved state of one strategy for one subject and counter, by key. [subject]
///
/// Each function returns 1 and writes `out` if the key is there with that type, else 0 with `out` untouched. Texts, bytes and
/// lists are lent until `state_load` returns.
typedef struct belfry_state_reader_r1 {
    void *owner;
    belfry_bool (*integer)(void *owner, const char *key, uint64_t length, int64_t *out);
    belfry_bool (*number)(void *owner, const char *key, uint64_t length, double *out);
    belfry_bool (*boolean)(void *owner, const char *key, uint64_t length, belfry_bool *out);
    belfry_bool (*text)(void *owner, const char *key, uint64_t length, belfry_text *out);
    belfry_bool (*bytes)(void *owner, const char *key, uint64_t length, belfry_text *out);
    belfry_bool (*instant)(void *owner, const char *key, uint64_t length, int64_t *out);
    belfry_bool (*integers)(void *owner, const char *key, uint64_t length, const int64_t **out, uint64_t *count);
} belfry_state_reader;

/// Writes state by key, each key once. What is written is copied before the function returns. A key that is written twice, or that
/// is no UTF-8, is a fault, and the state stays as it was saved last. So is a text of more than 16 MiB, and bytes or a list of more than 2^24
/// elements. [subject]
typedef struct belfry_state_writer_r1 {
    void *owner;
    void (*integer)(void *owner, const char *key, uint64_t length, int64_t value);
    void (*number)(void *owner, const char *key, uint64_t length, double value);
    void (*boolean)(void *owner, const char *key, uint64_t length, belfry_bool value);
    void (*text)(void *owner, const char *key, uint64_t length, const char *value, uint64_t value_length);
    void (*bytes)(void *owner, const char *key, uint64_t length, const void *value, uint64_t value_length);
    void (*instant)(void *owner, const char *key, uint64_t length, int64_t value);
    void (*integers)(void *owner, const char *key, uint64_t length, const int64_t *values, uint64_t count);
} belfry_state_writer;

#ifdef __cplusplus
}
#endif

#endif
