/// Denies until an instant that has passed.
#define IN_SHOULD_CREATE reason->until(reason->owner, context->now);
#include "steady.h"
