/// Never comes back.
#define IN_DID_CREATE for (;;) {}
#include "steady.h"
