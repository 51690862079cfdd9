/// Starts a thread that crashes a moment later, when the next entry is asked.
#include <pthread.h>
#include <unistd.h>
#include "belfry.h"

static void *crash(void *nothing) {
    usleep(20000);
    *(volatile int *)nothing = 1;
    return nothing;
}

static belfry_verdict start(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                            const belfry_reason *reason) {
    pthread_t thread;
    pthread_create(&thread, NULL, crash, NULL);
    return BELFRY_ALLOW;
}

#define ID TEXT("test.late")
#define NAME TEXT("late")
#define SHOULD_CREATE start
#include "../../Misbehaving/well-behaved.h"
