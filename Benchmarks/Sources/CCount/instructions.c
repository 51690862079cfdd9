#include "CCount.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

void count_begin(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void count_end(const char *name) {
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
}

int count_is_simulated(void) { return RUNNING_ON_VALGRIND; }
#else
void count_begin(void) {}
void count_end(const char *name) { (void)name; }
int count_is_simulated(void) { return 0; }
#endif
