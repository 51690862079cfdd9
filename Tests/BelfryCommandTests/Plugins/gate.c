/// Allows whom its version likes, 2.0.0 by default: 1.0.0 denies everything. Leaves a line in the file `inits` of the working
/// directory each time a process sets it up. Where there is a pipe `arrived`, it writes its version to it, and waits for a byte in `go`.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "belfry.h"

#ifndef GATE_VERSION
#define GATE_VERSION "2.0.0"
#endif

static belfry_status set_up(const belfry_host *host, const belfry_sink *error) {
    FILE *inits = fopen("inits", "a");
    if (inits) {
        fprintf(inits, "%s %d\n", GATE_VERSION, (int)getpid());
        fclose(inits);
    }
    int arrived = open("arrived", O_WRONLY), go = open("go", O_RDONLY);
    char byte;
    if (arrived < 0 || go < 0) return BELFRY_OK;
    return dprintf(arrived, "%s\n", GATE_VERSION) > 0 && read(go, &byte, 1) == 1 ? BELFRY_OK : BELFRY_FAILED;
}

static belfry_verdict judge(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                            const belfry_reason *reason) {
    static const belfry_text code = {"gate", 4}, message = {"the gate is closed", 18};
    if (GATE_VERSION[0] != '1') return BELFRY_ALLOW;
    reason->explain(reason->owner, &code, &message);
    return BELFRY_DENY;
}

#define ID TEXT("test.gate")
#define VERSION TEXT(GATE_VERSION)
#define NAME TEXT("gate")
#define INIT set_up
#define SHOULD_CREATE judge
#include "../../Misbehaving/well-behaved.h"
