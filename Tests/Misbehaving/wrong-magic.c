/// The root does not begin as a root does.
#define MAGIC 0x1122334455667788
#include "well-behaved.h"
