/// Looks at the clock on the wall.
#include <time.h>
static volatile time_t seen;
#define IN_DID_CREATE seen = time(NULL);
#include "steady.h"
