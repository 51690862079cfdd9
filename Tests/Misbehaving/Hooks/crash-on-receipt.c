/// Crashes when it hears that a notification was given up.
#define ON_RECEIPT if (receipt->outcome == BELFRY_RECEIPT_FAILED) *(volatile int *)8 = 1;
#include "receipts.h"

#include "steady.h"
