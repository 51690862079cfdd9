/// The action `stumble` takes the process with it, once: until there is a file `stumbled` in the working directory.
#include <fcntl.h>
#include <unistd.h>
#include "belfry.h"

static belfry_status stumble(const belfry_value *action, const belfry_action_result *result) {
    if (open("stumbled", O_CREAT | O_EXCL, 0600) >= 0) _exit(70);
    return BELFRY_OK;
}

#define T(literal) {literal, sizeof(literal) - 1}
static const belfry_action action = {T("stumble"), T("Falls, once."), T("(action)"), (belfry_action_function)stumble};
static const belfry_action *const one[] = {&action};
static const belfry_actions actions = {one, 1};

#define ID TEXT("test.stumble")
#define NAME TEXT("stumbling")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
