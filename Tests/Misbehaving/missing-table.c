/// Offers nothing at all.
#define OFFERS_NOTHING
#include "well-behaved.h"
