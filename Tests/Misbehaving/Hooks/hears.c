/// Does right with what few are told: begins again when a notification was given up, and makes nothing of refusals.
#define ON_RECEIPT \
    if (receipt->outcome == BELFRY_RECEIPT_FAILED) { \
        *(int64_t *)memory = 0; \
        return BELFRY_TOLD_CHANGED; \
    }
#include "receipts.h"
#undef OTHER_TABLE
#include "outcomes.h"
#undef OTHER_TABLE
#define OTHER_TABLE(id) \
    (strcmp(id, BELFRY_EXTENSION_RECEIPTS) == 0   ? (const void *)&receipts \
     : strcmp(id, BELFRY_EXTENSION_OUTCOMES) == 0 ? (const void *)&outcomes \
                                                  : NULL)

#include "steady.h"
