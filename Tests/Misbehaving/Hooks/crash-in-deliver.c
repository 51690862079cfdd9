/// A sink that crashes.
#define DELIVER abort()
#include "sink.h"
