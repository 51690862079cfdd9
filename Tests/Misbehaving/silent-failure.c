/// Cannot be set up, and does not say why.
#include "belfry.h"
static belfry_status init(const belfry_host *host, const belfry_sink *error) { return 9; }
#define INIT init
#include "well-behaved.h"
