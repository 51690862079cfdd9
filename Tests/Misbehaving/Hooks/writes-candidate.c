/// Writes into the candidate that it was lent.
#define IN_SHOULD_CREATE ((belfry_candidate *)candidate)->priority = 9;
#include "steady.h"
