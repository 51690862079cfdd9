/// Hears of receipts: the plugins that include this define ON_RECEIPT, the statements of the hook, before.
#include <string.h>

#include "belfry.h"

static belfry_told on_receipt(void *instance, void *memory, const belfry_candidate *candidate, const belfry_receipt *receipt,
                              const belfry_context *context, const belfry_sink *error) {
    ON_RECEIPT
    return BELFRY_TOLD_UNCHANGED;
}

static const belfry_receipt_hook receipt_hook = {.strategy = {"steady", 6}, .on_receipt = on_receipt};
static const belfry_receipt_hook *const receipt_hooks[] = {&receipt_hook};
static const belfry_receipts receipts = {receipt_hooks, 1};

#define OTHER_TABLE(id) (strcmp(id, BELFRY_EXTENSION_RECEIPTS) == 0 ? &receipts : NULL)
