/// What happens to a strategy, as the real host lets it happen.
#include "internal.h"

// MARK: Set up

/// What the plugin says of the strategy in other tables.
static void find_more(struct belfry_test *test) {
    const belfry_receipts *receipts = belfry_test_find_table(BELFRY_EXTENSION_RECEIPTS, test->name);
    for (uint64_t i = 0; receipts && i < receipts->count; i++)
        if (belfry_test_is_text(receipts->items[i]->strategy, test->name)) test->receipt_hook = receipts->items[i];
    const belfry_outcomes *outcomes = belfry_test_find_table(BELFRY_EXTENSION_OUTCOMES, test->name);
    for (uint64_t i = 0; outcomes && i < outcomes->count; i++)
        if (belfry_test_is_text(outcomes->happened[i], test->name)) test->is_told_of_happened = 1;
}

struct belfry_test belfry_test_strategy(const char *name, const belfry_value *parameters, uint64_t count) {
    const belfry_strategies *offered = belfry_test_table(BELFRY_EXTENSION_STRATEGY, name);
    struct belfry_test test = {.name = name, .until = BELFRY_TEST_NEVER};
    for (uint64_t i = 0; i < offered->count; i++)
        if (belfry_test_is_text(offered->items[i]->name, name)) test.strategy = offered->items[i];
    belfry_test_require(test.strategy != NULL, "the plugin has no strategy", name);
    find_more(&test);
    test.instance = belfry_test_create(&test, parameters, count);
    test.state = belfry_test_new_state(&test);
    return test;
}

void belfry_test_end(struct belfry_test *test) {
    const belfry_strategy *strategy = test->strategy;
    if (test->state && !belfry_test_is_declared(test)) strategy->state_destroy(strategy->type, test->state);
    if (strategy) strategy->destroy(test->instance);
    if (test->filter) test->filter->destroy(test->instance);
    if (test->sink) test->sink->destroy(test->instance);
    belfry_test_free(&test->memory);
}

static belfry_candidate about(struct belfry_test *test, const char *campaign) {
    belfry_candidate candidate = test->candidate;
    candidate.campaign = belfry_test_text(campaign);
    if (!candidate.event.bytes) candidate.event = belfry_test_text("request");
    return candidate;
}

/// One that was created.
static belfry_candidate about_current(struct belfry_test *test, const char *campaign) {
    belfry_candidate candidate = about(test, campaign);
    candidate.notification = belfry_test_text(belfry_test_format(test, "%s/%d", campaign, test->created));
    return candidate;
}

// MARK: What happens

typedef belfry_told outcome(void *, void *, const belfry_candidate *, belfry_bool, const belfry_context *,
                            const belfry_sink *);

/// A strategy that `belfry_outcomes` lists in `happened` is not told of a refusal.
static void tell_outcome(struct belfry_test *test, const char *name, outcome *hook, const belfry_candidate *candidate,
                         int happened) {
    if (!hook || (!happened && test->is_told_of_happened)) return;
    const struct telling it = belfry_test_begin_telling(test, name, candidate);
    belfry_test_end_telling(it, hook(test->instance, it.state, candidate, (belfry_bool)happened, &it.context, &it.error));
}

int belfry_test_request(struct belfry_test *test, const char *campaign) {
    const belfry_strategy *strategy = test->strategy;
    const belfry_candidate candidate = about(test, campaign);
    const int created = belfry_test_allows(test, "should_create", strategy->should_create, &candidate);
    tell_outcome(test, "did_create", strategy->did_create, &candidate, created);
    test->created += created;
    return created;
}

int belfry_test_delete(struct belfry_test *test, const char *campaign) {
    const belfry_strategy *strategy = test->strategy;
    const belfry_candidate candidate = about_current(test, campaign);
    question *check = strategy->should_delete;
    const int deleted = check ? belfry_test_allows(test, "should_delete", check, &candidate) : !test->others_deny;
    tell_outcome(test, "did_delete", strategy->did_delete, &candidate, deleted);
    return deleted;
}

void belfry_test_open(struct belfry_test *test, const char *campaign) {
    const belfry_strategy *strategy = test->strategy;
    const belfry_candidate candidate = about_current(test, campaign);
    if (!strategy->on_opened) return;
    const struct telling it = belfry_test_begin_telling(test, "on_opened", &candidate);
    belfry_test_end_telling(it, strategy->on_opened(test->instance, it.state, &candidate, &it.context, &it.error));
}

void belfry_test_receipt(struct belfry_test *test, const char *campaign, belfry_receipt receipt) {
    const belfry_candidate candidate = about_current(test, campaign);
    if (!test->receipt_hook) return;
    const struct telling it = belfry_test_begin_telling(test, "on_receipt", &candidate);
    belfry_test_end_telling(it, test->receipt_hook->on_receipt(test->instance, it.state, &candidate, &receipt, &it.context,
                                                               &it.error));
}

static void move_app(struct belfry_test *test, uint32_t app) {
    test->app = app;
    test->app_since = test->now;
}

void belfry_test_foreground(struct belfry_test *test) {
    move_app(test, BELFRY_APP_FOREGROUND);
    if (!test->strategy->on_foreground) return;
    const struct telling it = belfry_test_begin_telling(test, "on_foreground", NULL);
    belfry_test_end_telling(it, test->strategy->on_foreground(test->instance, it.state, &it.context, &it.error));
}

void belfry_test_background(struct belfry_test *test) {
    move_app(test, BELFRY_APP_BACKGROUND);
    if (!test->strategy->on_background) return;
    const struct telling it = belfry_test_begin_telling(test, "on_background", NULL);
    belfry_test_end_telling(it, test->strategy->on_background(test->instance, it.state, &it.context, &it.error));
}

void belfry_test_start_monitoring(struct belfry_test *test, const char *region) {
    if (!test->strategy->on_start_monitoring) return;
    const belfry_text name = belfry_test_text(region);
    const struct telling it = belfry_test_begin_telling(test, "on_start_monitoring", NULL);
    belfry_test_end_telling(
        it, test->strategy->on_start_monitoring(test->instance, it.state, &name, &it.context, &it.error));
}

void belfry_test_change_parameters(struct belfry_test *test, const belfry_value *parameters, uint64_t count) {
    test->strategy->destroy(test->instance);
    test->instance = belfry_test_create(test, parameters, count);
    if (!test->strategy->update_parameters) return;
    const struct telling it = belfry_test_begin_telling(test, "update_parameters", NULL);
    belfry_test_end_telling(it, test->strategy->update_parameters(test->instance, it.state, &it.context, &it.error));
}
