/// Writes LINES different warnings when it is asked. WHO is its name.
#include <stdio.h>
#include "belfry.h"

static const belfry_host *host;

static belfry_status set_up(const belfry_host *given, const belfry_sink *error) {
    host = given;
    return BELFRY_OK;
}

static belfry_verdict gossip(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                             const belfry_reason *reason) {
    const belfry_log *log = host->get_extension(host, BELFRY_EXTENSION_LOG);
    for (int number = 1; number <= LINES; number++) {
        char line[64];
        const int length = snprintf(line, sizeof line, WHO " says line %d", number);
        log->write(host, BELFRY_LOG_WARNING, line, (uint64_t)length);
    }
    return BELFRY_ALLOW;
}

#define ID TEXT("test." WHO)
#define NAME TEXT(WHO)
#define INIT set_up
#define SHOULD_CREATE gossip
#include "../../Misbehaving/well-behaved.h"
