/// Says that it allows a second later than it does.
#define IN_SHOULD_CREATE if (state->last && context->now - state->last < 60000) reason->until(reason->owner, state->last + 61000);
#include "steady.h"
