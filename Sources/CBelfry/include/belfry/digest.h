#ifndef BELFRY_DIGEST_H
#define BELFRY_DIGEST_H

#include "strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_DIGEST "belfry.digest/1"

/// What an entry has collected under a counter, until it closes.
///
/// The host keeps it, with its items: an item is in one digest, and a digest closes once, whatever becomes of the process. At the close the whole
/// chain is asked about one candidate, which is that of the first item.
typedef struct belfry_open_digest_r1 {
    int64_t opened;  ///< ms
    int64_t closes;  ///< ms
    uint64_t count;  ///< of items so far; 0 as long as it has nothing but the candidate that leads it
} belfry_open_digest;

/// What a strategy that collects may ask and say besides its verdict.
///
/// A COLLECT opens a digest that closes at its `until`, or adds to the open one and moves its close there. `until` is not before now; now closes the
/// digest within the signal that filled it.
typedef struct belfry_digest_r1 {
    /// The open digest of the entry that is asked, under the counter it is asked under. 0: none is open, and `digest` is untouched. While a
    /// question is answered only. [subject]
    belfry_bool (*open)(const belfry_context *context, belfry_open_digest *digest);
    /// How many items the candidate stands for, at the close of a digest; 0: it is none. Such a one cannot be collected again. [subject]
    uint64_t (*count)(const belfry_context *context);
    /// With COLLECT: so many items are kept, the newest; 100 if it is not called. While a question is answered only. [subject]
    void (*keep)(const belfry_context *context, uint64_t items);
    /// With a verdict that does not speak against the candidate: if that is created, it opens a digest without items, which closes then. While a
    /// question is answered only. [subject]
    void (*lead)(const belfry_context *context, int64_t closes);
} belfry_digest;

#ifdef __cplusplus
}
#endif

#endif
