/// A check that writes the state by force.
#define IN_SHOULD_CREATE ((struct state *)state)->count |= 1 << 20;
#include "steady.h"
