/// A handler that takes what has a message, and nothing else.
#include <string.h>

#include "belfry.h"

static belfry_status take(const belfry_value *action, const belfry_value *payload, const belfry_action_result *result) {
    (void)action;
    for (uint64_t index = 0; index < payload->count; index++) {
        const belfry_value *item = &payload->items[index];
        const char *key = "message";
        if (item->key.length == strlen(key) && memcmp(item->key.bytes, key, item->key.length) == 0 && item->text.length > 0)
            return BELFRY_OK;
    }
    const char *why = "it has no message";
    result->fail(result->owner, why, strlen(why));
    return BELFRY_FAILED;
}

static const belfry_action choosy = {
    {"choosy", 6}, {"Takes what has a message.", 25}, {"choosy(action, payload)", 23}, (belfry_action_function)take};
static const belfry_action *const list[] = {&choosy};
static const belfry_actions actions = {list, 1};

#define ID TEXT("test.choosy")
#define NAME TEXT("choosy")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
