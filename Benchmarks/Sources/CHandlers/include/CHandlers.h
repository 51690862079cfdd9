/// The handler that is measured.
#ifndef CHANDLERS_H
#define CHANDLERS_H

#include "belfry.h"

/// Looks at every argument and says nothing.
belfry_status view_product(const char *sku, double price, int64_t quantity, const belfry_action_result *result);

#endif
