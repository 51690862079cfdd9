/// Exports the entry of another major version only.
#define ENTRY belfry_plugin_entry_v2
#include "well-behaved.h"
