/// Never comes back from being loaded.
#include <unistd.h>
#include "well-behaved.h"
__attribute__((constructor)) static void hang(void) { for (;;) pause(); }
