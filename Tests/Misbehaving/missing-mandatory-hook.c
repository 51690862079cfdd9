/// Cannot be asked.
#define SHOULD_CREATE 0
#include "well-behaved.h"
