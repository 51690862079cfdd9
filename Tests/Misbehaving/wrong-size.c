/// A field was appended to the root.
#define SIZE (sizeof(belfry_plugin) + 8)
#include "well-behaved.h"
