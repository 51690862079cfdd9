/// Handlers of a Plot app: `view` answers with the notification that was opened, `url` takes the browser's place.
#include "belfry.h"

#define T(literal) {literal, sizeof(literal) - 1}

static belfry_status view(const belfry_value *action, const belfry_value *payload, const belfry_action_result *result) {
    result->set(result->owner, payload);
    return BELFRY_OK;
}

static belfry_status refuse(const belfry_value *action, const belfry_action_result *result) {
    result->fail(result->owner, "this app has no browser", 23);
    return BELFRY_FAILED;
}

static const belfry_action viewing = {T("view"), T("Shows a notification."), T("(action, payload)"), (belfry_action_function)view};
static const belfry_action browsing = {T("url"), T("Opens nothing."), T("(action)"), (belfry_action_function)refuse};
static const belfry_action *const both[] = {&viewing, &browsing};
static const belfry_actions actions = {both, 2};

#define ID T("test.viewer")
#define OFFERS_NO_STRATEGY
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
