/// Ends the process.
#define IN_ON_OPENED exit(0);
#include "steady.h"
