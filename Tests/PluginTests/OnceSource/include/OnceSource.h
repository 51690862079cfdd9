#ifndef ONCE_SOURCE_H
#define ONCE_SOURCE_H

#include "belfry.h"

/// The entry of the plugin, under a name of its own: the tests of the package are one executable.
const belfry_plugin *once_entry(const belfry_hello *hello);

#endif
