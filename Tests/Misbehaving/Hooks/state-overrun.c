/// Keeps more state than it says.
#define IN_DID_CREATE ((volatile int64_t *)memory)[2] = 7;
#include "steady.h"
