/// Asks a strategy, and looks at whether the answer keeps to the contract.
#include "internal.h"

/// 9999-12-31T23:59:59.999Z, after which a host writes no times.
#define LAST_INSTANT ((int64_t)253402300799999)

static void explain(void *owner, belfry_text const *code, belfry_text const *message) {
    struct answer *answer = owner;
    answer->code = belfry_test_copy_text(answer->test, code->bytes, code->length);
    answer->message = belfry_test_copy_text(answer->test, message->bytes, message->length);
}

static void set_until(void *owner, int64_t instant) { ((struct answer *)owner)->until = instant; }

struct answer belfry_test_ask(struct belfry_test *test, question *check, const void *state,
                              const belfry_candidate *candidate, const belfry_context *context) {
    struct answer answer = {.test = test, .until = BELFRY_TEST_NEVER};
    const belfry_reason reason = {&answer, explain, set_until};
    answer.verdict = check(test->instance, state, candidate, context, &reason);
    return answer;
}

static int refuses(struct answer answer) { return answer.verdict > BELFRY_ALLOW; }

const char *belfry_test_answered(struct answer answer) {
    static const char *const words[] = {"abstain", "allow", "deny", "defer", "fault", "collect", "withhold"};
    const char *word = answer.verdict <= BELFRY_WITHHOLD ? words[answer.verdict] : "no verdict";
    const char *until = answer.until == BELFRY_TEST_NEVER
                            ? ""
                            : belfry_test_format(answer.test, " until %s", belfry_test_time(answer.test, answer.until));
    return belfry_test_format(answer.test, "%s%s%s%s", word, until, answer.message ? ": " : "",
                              answer.message ? answer.message : "");
}

int belfry_test_is_same_answer(struct answer one, struct answer other) {
    return one.verdict == other.verdict && one.until == other.until &&
           belfry_test_is_text(belfry_test_text(one.code), other.code) &&
           belfry_test_is_text(belfry_test_text(one.message), other.message);
}

// MARK: What holds for every question

static void check_purity(struct belfry_test *test, const char *name, struct answer first, struct answer second) {
    if (belfry_test_is_same_answer(first, second)) return;
    belfry_test_fail(test, "has a question that is not pure",
                     belfry_test_format(test, "%s answered '%s', and asked again '%s'", name, belfry_test_answered(first),
                                        belfry_test_answered(second)),
                     "decide from parameters, state and context alone");
}

static void check_unchanged(struct belfry_test *test, const char *name, const belfry_value *before) {
    const belfry_value after = belfry_test_stored(test, test->state);
    if (belfry_test_is_same(before, &after)) return;
    belfry_test_fail(test, "has a question that is not pure",
                     belfry_test_format(test, "%s changed the state: %s", name,
                                        belfry_test_difference(test, before, &after)),
                     "change the state in telling hooks only");
}

static void check_answer(struct belfry_test *test, const char *name, struct answer answer) {
    const int has_until = answer.until != BELFRY_TEST_NEVER;
    const int needs_until = answer.verdict == BELFRY_DEFER || answer.verdict == BELFRY_COLLECT;
    if (answer.verdict <= BELFRY_WITHHOLD && answer.verdict != BELFRY_FAULT && (has_until || !needs_until)) return;
    belfry_test_fail(test, "has a question that fails",
                     belfry_test_format(test, "%s answered '%s'", name, belfry_test_answered(answer)),
                     "answer abstain, allow, deny, withhold, or defer or collect with an 'until'");
}

/// 1 ms before `until` it has to refuse, and at it to allow, if nothing else happens. What is past does not come again.
static void check_until(struct belfry_test *test, const char *name, question *check,
                        const belfry_candidate *candidate, struct answer answer) {
    if (!refuses(answer) || answer.until == BELFRY_TEST_NEVER || answer.until >= LAST_INSTANT) return;
    const int64_t end = answer.until > test->now ? answer.until : test->now;
    for (int64_t instant = end > test->now ? end - 1 : end; instant <= end; instant++) {
        belfry_context context = belfry_test_context(test);
        context.now = instant;
        const struct answer then = belfry_test_ask(test, check, test->state, candidate, &context);
        if (refuses(then) == (instant < answer.until)) continue;
        belfry_test_fail(test, "gives an 'until' that is not exact",
                         belfry_test_format(test, "%s answered '%s', and at %s '%s'", name, belfry_test_answered(answer),
                                            belfry_test_time(test, instant), belfry_test_answered(then)),
                         "give the first instant at which it would allow if nothing else happens, or none");
        return;
    }
}

int belfry_test_allows(struct belfry_test *test, const char *name, question *check,
                       const belfry_candidate *candidate) {
    const belfry_context context = belfry_test_context(test);
    const belfry_value before = belfry_test_stored(test, test->state);
    const struct answer first = belfry_test_ask(test, check, test->state, candidate, &context);
    const struct answer answer = belfry_test_ask(test, check, test->state, candidate, &context);
    check_purity(test, name, first, answer);
    check_answer(test, name, answer);
    check_until(test, name, check, candidate, answer);
    check_unchanged(test, name, &before);
    belfry_test_free(&test->lent);
    test->verdict = answer.verdict;
    test->code = answer.code;
    test->message = answer.message;
    test->until = answer.until;
    return !refuses(answer) && !test->others_deny;
}
