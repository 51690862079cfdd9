/// Tells a strategy something, and keeps what it makes of its state.
#include "internal.h"

/// Of declared fields the hook gets a copy, so that a failure leaves no trace.
struct telling belfry_test_begin_telling(struct belfry_test *test, const char *hook,
                                         const belfry_candidate *candidate) {
    struct telling telling = {.test = test, .hook = hook, .candidate = candidate, .state = test->state};
    telling.before = belfry_test_stored(test, test->state);
    telling.context = belfry_test_context(test);
    telling.error = belfry_test_sink(test);
    const uint64_t size = test->strategy->state_size;
    if (test->state && belfry_test_is_declared(test))
        telling.state = memcpy(belfry_test_allocate(&test->memory, size), test->state, size);
    return telling;
}

static void check_same(struct telling *telling, const char *said, const belfry_value *after, const char *fix) {
    struct belfry_test *test = telling->test;
    if (belfry_test_is_same(&telling->before, after)) return;
    belfry_test_fail(test, "changes its state and does not say so",
                     belfry_test_format(test, "%s answered that it %s, and %s", telling->hook, said,
                                        belfry_test_difference(test, &telling->before, after)),
                     fix);
}

/// A member that is no field is not stored, so nothing may rest on it.
static void check_storage(struct telling *telling) {
    struct belfry_test *test = telling->test;
    if (!telling->state || !telling->candidate) return;
    question *check = test->strategy->should_create;
    const struct answer without = belfry_test_ask(test, check, telling->state, telling->candidate, &telling->context);
    const struct answer with = belfry_test_ask(test, check, test->state, telling->candidate, &telling->context);
    if (belfry_test_is_same_answer(without, with)) return;
    belfry_test_fail(test, "does not survive saving and loading",
                     belfry_test_format(test, "after %s should_create answers '%s' then, and without '%s'", telling->hook,
                                        belfry_test_answered(with), belfry_test_answered(without)),
                     "declare every part of the state as a field");
}

static void fail(struct telling *telling, const belfry_value *after) {
    struct belfry_test *test = telling->test;
    if (!belfry_test_is_declared(test))
        check_same(telling, "failed", after, "leave the state as it was found before BELFRY_TOLD_FAILED is returned");
    if (!test->failure) test->failure = "it failed without a word";
    if (!test->may_fail)
        belfry_test_fail(test, belfry_test_format(test, "fails in %s", telling->hook), test->failure,
                         "let it succeed; or set 'may_fail' if the test is about that");
}

void belfry_test_end_telling(struct telling telling, belfry_told told) {
    struct belfry_test *test = telling.test;
    const belfry_value after = belfry_test_stored(test, telling.state);
    if (told > BELFRY_TOLD_CHANGED) fail(&telling, &after);
    else test->failure = NULL;
    if (told == BELFRY_TOLD_UNCHANGED)
        check_same(&telling, "changed nothing", &after,
                   "return BELFRY_TOLD_CHANGED from every hook that changed the state; the rest is not stored");
    if (told == BELFRY_TOLD_CHANGED && belfry_test_is_declared(test)) {
        test->state = belfry_test_loaded(test, 0, &after);
        check_storage(&telling);
    }
    belfry_test_free(&test->lent);
}
