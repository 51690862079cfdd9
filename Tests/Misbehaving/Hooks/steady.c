/// The good one: every check must pass.
#include "steady.h"
