#ifndef BELFRY_CURRENT_H
#define BELFRY_CURRENT_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_CURRENT "belfry.current/1"

/// In the place of an index: the candidate, as if it had been created just now.
#define BELFRY_CURRENT_CANDIDATE ((uint64_t)0xffffffffffffffff)

/// The current notifications of the subject: those that were created and not deleted yet, the oldest first.
///
/// What is known of each: `notification` (its id; missing for the candidate), `campaign` (its id), `tags` (of the campaign as it is configured now), `data` (of the signal that
/// caused it) and `createdAt` (RFC 3339).
typedef struct belfry_current_r1 {
    /// How many there are. [subject]
    uint64_t (*count)(const belfry_context *context);
    /// Whether a condition holds for the one at an index: its properties are those above. 0 beyond the last one. [subject]
    belfry_bool (*holds)(const belfry_context *context, uint64_t index, const belfry_condition *condition);
    /// What is at a dotted path: `campaign`, `data.incident`. NULL if there is none. Lent until the hook returns. [subject]
    const belfry_value *(*value)(const belfry_context *context, uint64_t index, const char *path, uint64_t length);
} belfry_current;

#ifdef __cplusplus
}
#endif

#endif
