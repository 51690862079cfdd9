/// Offers nothing at all.
#define OFFERS_NO_STRATEGY
#include "well-behaved.h"
