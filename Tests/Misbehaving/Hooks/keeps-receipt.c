/// Keeps the pointer to a receipt, and reads it later.
#include "belfry.h"
static const belfry_receipt *kept;
static volatile uint32_t seen;
#define ON_RECEIPT kept = receipt;
#define IN_ON_OPENED if (kept) seen = kept->outcome;
#include "receipts.h"

#include "steady.h"
