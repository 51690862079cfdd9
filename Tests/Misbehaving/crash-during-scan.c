/// Dies as soon as it is loaded.
#include "well-behaved.h"
__attribute__((constructor)) static void crash(void) { *(volatile int *)0 = 1; }
