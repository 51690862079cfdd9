/// Allocates and never frees.
#define IN_DID_CREATE \
    static void *volatile last; \
    last = malloc(64);
#include "steady.h"
