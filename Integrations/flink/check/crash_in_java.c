/// Beside the plugin of the tests: it can be bundled, and crashes where a worker loads it.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void crash_in_java(void) {
    if (strcmp(program_invocation_short_name, "java") == 0) abort();
}
