/// Allows everything. Each time it is asked it forks a process in a session of its own, which says its number and stays; with SIN 1 by one
/// that ends.
#include <stdio.h>
#include <unistd.h>
#include "belfry.h"

#ifndef SIN
#define SIN 0
#endif

static belfry_verdict leave(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                            const belfry_reason *reason) {
    int ends[2];
    char byte;
    if (pipe(ends) < 0) return BELFRY_DENY;
    if (fork() == 0) {
        setsid();
        if (SIN == 1 && fork() != 0) _exit(0);
        char text[32];
        if (write(STDERR_FILENO, text, (size_t)sprintf(text, "left %d\n", getpid())) < 0 || write(ends[1], "", 1) < 0) _exit(1);
        for (;;) sleep(1);
    }
    // It has said so.
    return read(ends[0], &byte, 1) == 1 ? BELFRY_ALLOW : BELFRY_DENY;
}

#define ID TEXT("test.leaver")
#define NAME TEXT("leaver")
#define SHOULD_CREATE leave
#include "../../Misbehaving/well-behaved.h"
