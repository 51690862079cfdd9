/// A handler that never returns: it reads from a pipe that only this process could write to.
#include <unistd.h>

#include "belfry.h"

static belfry_status wait_for_ever(const belfry_action_result *result) {
    int ends[2];
    char byte;
    if (pipe(ends) != 0) return BELFRY_FAILED;
    return read(ends[0], &byte, 1) == 1 ? BELFRY_OK : BELFRY_FAILED;
}

static const belfry_action stuck = {
    {"stuck", 5}, {"Never returns.", 14}, {"()", 2}, (belfry_action_function)wait_for_ever};
static const belfry_action *const list[] = {&stuck};
static const belfry_actions actions = {list, 1};

#define ID TEXT("test.stuck")
#define NAME TEXT("stuck")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
