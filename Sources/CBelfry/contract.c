/* The contract is headers only; a C target needs one source file. This one proves that they compile alone. */
#include "belfry.h"
