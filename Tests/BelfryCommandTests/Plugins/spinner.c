/// Allows everything. Once it was asked about a subject with an a, the process spins, in no call. SIN: 0 in the handler of a signal that comes
/// 200 ms later to the thread that asked; 1 where it is forked the next time.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "belfry.h"

#ifndef SIN
#define SIN 0
#endif

static void spin(void) {
    static const char text[] = "the plugin spins\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
    for (volatile int forever = 0;; forever++) {}
}

static void handle(int number) { spin(); }

static void wind_up(void) {
    if (SIN == 1) {
        pthread_atfork(spin, NULL, NULL);
        return;
    }
    signal(SIGALRM, handle);
    // Threads of a service block signals.
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0) return;
    struct itimerspec due = {.it_value.tv_nsec = 200000000};
    timer_settime(timer, 0, &due, NULL);
}

static belfry_verdict allow(void *self, const void *state, const belfry_candidate *candidate, const belfry_context *context,
                            const belfry_reason *reason) {
    if (context->subject.bytes[0] == 'a') wind_up();
    return BELFRY_ALLOW;
}

#define ID TEXT("test.spinner")
#define NAME TEXT("spinner")
#define SHOULD_CREATE allow
#include "../../Misbehaving/well-behaved.h"
