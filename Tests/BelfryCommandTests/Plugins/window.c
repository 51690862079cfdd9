/// Shows web pages in a window of its own: takes `url` over from the bundled actions.
#include "belfry.h"

static belfry_status show(const belfry_value *action, const belfry_action_result *result) {
    static const belfry_value inside = {.kind = BELFRY_TEXT, .text = {"inside", 6}};
    result->set(result->owner, &inside);
    return BELFRY_OK;
}

#define T(literal) {literal, sizeof(literal) - 1}
static const belfry_action url = {T("url"), T("Shows a page."), T("(action)"), (belfry_action_function)show};
static const belfry_action *const one[] = {&url};
static const belfry_actions actions = {one, 1};

#define ID TEXT("test.window")
#define NAME TEXT("window")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
