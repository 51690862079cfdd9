/// The good one: it must load, whatever lies beside it.
#include "well-behaved.h"
