/// Puts notifications through a filter, and looks at whether it is pure.
#include "internal.h"

struct belfry_test belfry_test_filter(const char *name, const belfry_value *parameters, uint64_t count) {
    const belfry_filters *offered = belfry_test_table(BELFRY_EXTENSION_FILTER, name);
    struct belfry_test test = {.name = name, .until = BELFRY_TEST_NEVER};
    for (uint64_t i = 0; i < offered->count; i++)
        if (belfry_test_is_text(offered->items[i]->name, name)) test.filter = offered->items[i];
    belfry_test_require(test.filter != NULL, "the plugin has no filter", name);
    test.instance = belfry_test_create(&test, parameters, count);
    return test;
}

// MARK: Edits

static const belfry_value *copy_of(struct belfry_test *test, const belfry_value *value) {
    if (!value) return NULL;
    belfry_value *copy = belfry_test_allocate(&test->memory, sizeof(*copy));
    *copy = belfry_test_copy(test, value);
    return copy;
}

static void set_title(void *owner, const char *text, uint64_t length) {
    struct belfry_test *test = owner;
    test->left.title = belfry_test_copy_text(test, text, length);
}

static void set_message(void *owner, const char *text, uint64_t length) {
    struct belfry_test *test = owner;
    test->left.message = belfry_test_copy_text(test, text, length);
}

static void set_category(void *owner, const char *text, uint64_t length) {
    struct belfry_test *test = owner;
    test->left.category = belfry_test_copy_text(test, text, length);
}

static void set_data(void *owner, const belfry_value *value) {
    struct belfry_test *test = owner;
    test->left.data = copy_of(test, value);
}

static void set_presentation(void *owner, const belfry_value *value) {
    struct belfry_test *test = owner;
    test->left.presentation = copy_of(test, value);
}

static void set_buttons(void *owner, const belfry_value *buttons) {
    struct belfry_test *test = owner;
    test->left.buttons = copy_of(test, buttons);
}

static void drop(void *owner, const char *message, uint64_t length) {
    struct belfry_test *test = owner;
    test->left.dropped = belfry_test_copy_text(test, message ? message : "", length);
}

// MARK: Applying

static int is_same(struct belfry_test_content one, struct belfry_test_content other) {
    return belfry_test_is_text(belfry_test_text(one.title), other.title) &&
           belfry_test_is_text(belfry_test_text(one.message), other.message) &&
           belfry_test_is_text(belfry_test_text(one.category), other.category) &&
           belfry_test_is_text(belfry_test_text(one.dropped), other.dropped) &&
           belfry_test_is_same(one.data, other.data) && belfry_test_is_same(one.presentation, other.presentation) &&
           belfry_test_is_same(one.buttons, other.buttons);
}

static belfry_status apply(struct belfry_test *test, const belfry_candidate *candidate,
                           struct belfry_test_content before) {
    const belfry_context context = belfry_test_context(test);
    const belfry_edits edits = {test,     set_title,        set_message, set_category,
                                set_data, set_presentation, set_buttons, drop};
    const belfry_sink error = belfry_test_sink(test);
    test->left = before;
    const belfry_status status = test->filter->apply(test->instance, candidate, &context, &edits, &error);
    belfry_test_free(&test->lent);
    if (status == BELFRY_OK) test->failure = NULL;
    else test->left = before;
    return status;
}

belfry_status belfry_test_apply(struct belfry_test *test, const char *title, const char *message) {
    belfry_candidate candidate = test->candidate;
    if (!candidate.campaign.bytes) candidate.campaign = belfry_test_text("hello");
    candidate.title = belfry_test_text(title);
    candidate.message = belfry_test_text(message);
    const struct belfry_test_content before = {
        .title = title, .message = message, .data = candidate.data, .presentation = candidate.presentation,
        .category = belfry_test_copy_text(test, candidate.category.bytes, candidate.category.length)};
    const belfry_status status = apply(test, &candidate, before);
    const struct belfry_test_content first = test->left;
    if (apply(test, &candidate, before) != status || !is_same(first, test->left))
        belfry_test_fail(test, "is not pure", "applied again to the same notification it leaves something else",
                         "edit by parameters, candidate and context alone");
    return status;
}
