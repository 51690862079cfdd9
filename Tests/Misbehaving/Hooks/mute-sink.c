/// A sink that takes nothing and does not say why.
#define DELIVER return BELFRY_DELIVER_LATER
#include "sink.h"
