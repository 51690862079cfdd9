/// Will not work with this host.
#define ROOT 0
#include "well-behaved.h"
