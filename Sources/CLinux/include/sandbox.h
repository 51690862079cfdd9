#ifndef BELFRY_SANDBOX_H
#define BELFRY_SANDBOX_H

#include <stddef.h>

/// What of a sandbox the kernel has.
#define BELFRY_SANDBOX_FILES 1
#define BELFRY_SANDBOX_CALLS 2

/// Takes from this process, for good, what a plugin has no need of: files, but for reading below some folders; network, other processes and
/// programs, and the settings of the system. What is open stays open.
///
/// @returns which of it there is now; -1 with errno set if something went wrong.
int belfry_enter_sandbox(const char *const *readable, size_t count);

#endif
