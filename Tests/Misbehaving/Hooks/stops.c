/// Stops the process.
#include <signal.h>
#define IN_ON_OPENED raise(SIGSTOP);
#include "steady.h"
