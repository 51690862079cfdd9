/// Takes a text for one that ends in NUL.
static volatile char seen;
#define IN_SHOULD_CREATE if (candidate->message.bytes) seen = candidate->message.bytes[candidate->message.length];
#include "steady.h"
