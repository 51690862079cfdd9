/// Its version is two words.
#define VERSION TEXT("1.0 beta")
#include "well-behaved.h"
