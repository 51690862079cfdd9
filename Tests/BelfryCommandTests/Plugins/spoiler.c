/// Takes the process with it where an entry is made. SIN: 0 ends it with success, 1 crashes, 2 ends it at once, 3 never returns, 6 gets
/// SIGUSR1, 7 spins and lets no signal and no timer end that, 8 stops; 4 and 5 are 0 and 1 where it is let go.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "belfry.h"

#ifndef SIN
#define SIN 0
#endif

static int whole;

static void *spoil(void *type, const belfry_host *host, const belfry_value *parameters, const belfry_sink *error) {
    switch (SIN) {
    case 0: exit(0);
    case 1: *(volatile int *)8 = 1; break;
    case 2: _exit(0);
    case 3:
        fprintf(stderr, "the plugin is set up\n");
        for (;;) pause();
    case 6: raise(SIGUSR1); break;
    case 8: raise(SIGSTOP); for (;;) pause();
    case 7: {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        signal(SIGALRM, SIG_IGN);
        alarm(0);
        fprintf(stderr, "the plugin is set up\n");
        for (volatile int forever = 0;; forever++) {}
    }
    }
    return &whole;
}

static void let_go(void *unused) {
    switch (SIN) {
    case 4: exit(0);
    case 5: *(volatile int *)8 = 1;
    }
}
static belfry_verdict abstain(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                              const belfry_reason *reason) {
    return BELFRY_ABSTAIN;
}

#define TEXT(literal) {literal, sizeof(literal) - 1}
static const belfry_strategy spoiler = {
    .name = TEXT("spoiler"), .summary = TEXT("Ends what it is in."), .create = spoil, .destroy = let_go, .should_create = abstain,
};
#undef TEXT
#define ID TEXT("test.spoiler")
#define STRATEGIES &spoiler
#include "../../Misbehaving/well-behaved.h"
