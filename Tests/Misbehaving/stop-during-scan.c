/// Stops its process when it is loaded.
#include <signal.h>
#include "well-behaved.h"
__attribute__((constructor)) static void stop(void) { raise(SIGSTOP); }
