/// Counts for all subjects together.
#include <stdint.h>
static int64_t total;
#define COUNT total
#include "steady.h"
