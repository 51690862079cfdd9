/// Decides by the number of its process.
#include <unistd.h>
#define IN_SHOULD_CREATE if (state->count > 0) reason->until(reason->owner, context->now + getpid());
#include "steady.h"
