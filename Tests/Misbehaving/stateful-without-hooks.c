/// Wants memory for its state, oddly aligned, and says nothing of how to fill, save and free it.
#define STATE .state_size = 24, .state_alignment = 3
#include "well-behaved.h"
