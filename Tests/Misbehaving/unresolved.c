/// Needs a function that no library has.
extern int belfry_nobody_has_this(void);
#define ID TEXT("example.unresolved")
#include "well-behaved.h"
__attribute__((visibility("default"))) int call(void) { return belfry_nobody_has_this(); }
