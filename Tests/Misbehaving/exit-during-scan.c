/// Ends the process that loads it, calmly.
#include <unistd.h>
#include "well-behaved.h"
__attribute__((constructor)) static void leave(void) { _exit(0); }
