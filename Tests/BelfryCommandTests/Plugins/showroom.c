/// Two actions of a shop, in the two forms of IBM MCE; each answers with what it was given.
#include "belfry.h"

static belfry_status view_product(const belfry_value *action, const belfry_action_result *result) {
    result->set(result->owner, action);
    return BELFRY_OK;
}

static belfry_status show_catalog(const belfry_value *action, const belfry_value *payload,
                                  const belfry_action_result *result) {
    result->set(result->owner, payload);
    return BELFRY_OK;
}

#define T(literal) {literal, sizeof(literal) - 1}
static const belfry_action product = {T("viewProduct"), T("Shows a product."), T("(action)"),
                                      (belfry_action_function)view_product};
static const belfry_action catalog = {T("showCatalog"), T("Shows the catalog."), T("(action, payload)"),
                                      (belfry_action_function)show_catalog};
static const belfry_action *const both[] = {&product, &catalog};
static const belfry_actions actions = {both, 2};

#define ID TEXT("test.showroom")
#define NAME TEXT("showroom")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
