#ifndef BELFRY_RECEIPTS_H
#define BELFRY_RECEIPTS_H

#include "strategy.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BELFRY_EXTENSION_RECEIPTS "belfry.receipts/1"

/// What became of a notification on its way. A strategy leaves alone what it does not know.
#define BELFRY_RECEIPT_DELIVERED ((uint32_t)1)
#define BELFRY_RECEIPT_FAILED ((uint32_t)2)  ///< it was given up

/// What a sink says of a notification. Borrowed until the call returns.
typedef struct belfry_receipt_r1 {
    uint32_t outcome;    ///< BELFRY_RECEIPT_…
    uint32_t reserved;
    int64_t created_at;  ///< when the notification was created, ms
    belfry_text sink;    ///< absent if it is not known
    belfry_text reason;  ///< why it was given up; absent otherwise
} belfry_receipt;

/// A telling hook of one of the plugin's strategies, beside those of belfry.strategy/1: constant.
typedef struct belfry_receipt_hook_r1 {
    belfry_text strategy;  ///< required; its name in belfry.strategy/1
    /// A receipt came: for a notification that is current or in the history, and for those of its counters that apply. It may come again, from
    /// the same sink or another one. Required. [subject]
    belfry_told (*on_receipt)(void *instance, void *state, const belfry_candidate *candidate, const belfry_receipt *receipt,
                              const belfry_context *context, const belfry_sink *error);
} belfry_receipt_hook;

/// What belfry.receipts/1 of a plugin is: constant.
typedef struct belfry_receipts_r1 {
    const belfry_receipt_hook *const *items;
    uint64_t count;
} belfry_receipts;

#ifdef __cplusplus
}
#endif

#endif
