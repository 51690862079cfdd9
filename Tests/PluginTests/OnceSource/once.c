#include "OnceSource.h"

#define belfry_plugin_entry_v1 once_entry
#include "../../../Plugins/Once/once.c"
