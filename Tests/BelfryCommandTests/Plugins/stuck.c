/// Handlers that never return: one reads from a pipe that only this process could write to, one stops the process, and one leaves another
/// process behind that keeps what it has open.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "belfry.h"

static belfry_status wait_for_ever(const belfry_action_result *result) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0) return BELFRY_FAILED;
    return read(ends[0], &byte, 1) == 1 ? BELFRY_OK : BELFRY_FAILED;
}

static belfry_status stop(const belfry_action_result *result) {
    raise(SIGSTOP);
    return BELFRY_OK;
}

static belfry_status leave_behind(const belfry_action_result *result) {
    if (fork() == 0) pause();
    abort();
}

static belfry_status crash(const belfry_action_result *result) { abort(); }

static const belfry_action stuck = {
    {"stuck", 5}, {"Never returns.", 14}, {"()", 2}, (belfry_action_function)wait_for_ever};
static const belfry_action stopped = {{"stopped", 7}, {"Stops.", 6}, {"()", 2}, (belfry_action_function)stop};
static const belfry_action left = {{"left", 4}, {"Crashes.", 8}, {"()", 2}, (belfry_action_function)leave_behind};
static const belfry_action aborts = {{"aborts", 6}, {"Crashes.", 8}, {"()", 2}, (belfry_action_function)crash};
static const belfry_action *const list[] = {&stuck, &stopped, &left, &aborts};
static const belfry_actions actions = {list, 4};

#define ID TEXT("test.stuck")
#define NAME TEXT("stuck")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
