#ifndef BELFRY_STATE_H
#define BELFRY_STATE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/// Writes state by key, each key once. What is written is copied before the function returns. [subject]
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
