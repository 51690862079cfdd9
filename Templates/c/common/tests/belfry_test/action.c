/// Takes what a handler of actions has to say.
#include "internal.h"

struct belfry_test belfry_test_action(const char *type) {
    const belfry_actions *offered = belfry_test_table(BELFRY_EXTENSION_ACTIONS, type);
    struct belfry_test test = {.name = type, .until = BELFRY_TEST_NEVER};
    // The last registration of a type wins.
    for (uint64_t i = 0; i < offered->count; i++)
        if (belfry_test_is_text(offered->items[i]->type, type)) test.action = offered->items[i];
    belfry_test_require(test.action != NULL, "the plugin has no action", type);
    return test;
}

static void set(void *owner, const belfry_value *value) {
    struct belfry_test *test = owner;
    test->result = belfry_test_copy(test, value);
}

static void fail(void *owner, const char *message, uint64_t length) {
    struct belfry_test *test = owner;
    test->failure = belfry_test_copy_text(test, message, length);
}

const belfry_action_result *belfry_test_result(struct belfry_test *test) {
    test->result = (belfry_value){.kind = BELFRY_NULL};
    test->failure = NULL;
    test->result_sink = (belfry_action_result){test, set, fail};
    return &test->result_sink;
}
