#include "CHandlers.h"

belfry_status view_product(const char *sku, double price, int64_t quantity, const belfry_action_result *result) {
    return result && sku[0] == 'A' && price * (double)quantity > 0 ? BELFRY_OK : BELFRY_FAILED;
}
