/// Answers with a verdict that does not exist.
#define IN_SHOULD_CREATE return 9;
#include "steady.h"
