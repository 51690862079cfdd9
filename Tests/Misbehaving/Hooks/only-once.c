/// Works for its first generation only.
#define IN_INIT \
    if (getenv("EXAMPLE_ONLY_ONCE")) { refuse(error, "it is set up already"); return BELFRY_FAILED; } \
    setenv("EXAMPLE_ONLY_ONCE", "1", 1);
#include "steady.h"
