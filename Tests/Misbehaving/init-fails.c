/// Cannot be set up, and says why.
#include "belfry.h"
static belfry_status init(const belfry_host *host, const belfry_sink *error) {
    error->write(error->owner, "the zone table ", 15);
    error->write(error->owner, "is missing", 10);
    return BELFRY_FAILED;
}
#define INIT init
#include "well-behaved.h"
