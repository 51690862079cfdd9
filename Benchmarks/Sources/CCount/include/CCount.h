#pragma once

#include <stdint.h>

/// How many times this thread has asked for memory since it began: malloc and its relatives, which this library stands in for
/// in every program that it is linked into.
uint64_t count_allocations(void);

/// From `count_begin` to `count_end` instructions are counted, if the program runs under callgrind; then they are written to a
/// file of their own that says `name`. Otherwise these do nothing.
void count_begin(void);
void count_end(const char *name);

/// Whether the program runs under valgrind.
int count_is_simulated(void);
