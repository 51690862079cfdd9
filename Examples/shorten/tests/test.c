#include "belfry_test.h"

static void expect_shortened(const char *message, int64_t limit, const char *expected) {
    const belfry_value parameters[] = {belfry_test_integer("message", limit)};
    struct belfry_test test = belfry_test_filter("shorten", parameters, 1);
    CHECK(belfry_test_apply(&test, NULL, message) == BELFRY_OK);
    CHECK_TEXT(test.left.message, expected);
    belfry_test_end(&test);
}

static void a_text_is_cut_between_words(void) {
    expect_shortened("Half price, today only", 22, "Half price, today only");
    expect_shortened("Half price, today only", 21, "Half price, today…");
    expect_shortened("Half price, today only", 18, "Half price, today…");
    expect_shortened("Half price, today only", 17, "Half price,…");
    expect_shortened("Half  price", 7, "Half…");
}

static void a_long_word_is_cut_inside_but_never_a_character(void) {
    expect_shortened("Donaudampfschiff", 8, "Donauda…");
    expect_shortened("éééé", 4, "éééé");
    expect_shortened("ééééé", 4, "ééé…");
    expect_shortened("ééééé", 1, "…");
    expect_shortened("", 1, "");
}

static void title_and_message_have_limits_of_their_own(void) {
    const belfry_value parameters[] = {belfry_test_integer("title", 5), belfry_test_integer("message", 9)};
    struct belfry_test test = belfry_test_filter("shorten", parameters, 2);
    CHECK(belfry_test_apply(&test, "Spring sale", "Half price") == BELFRY_OK);
    CHECK_TEXT(test.left.title, "Spri…");
    CHECK_TEXT(test.left.message, "Half…");
    CHECK(test.left.dropped == NULL);
    belfry_test_end(&test);
}

static void without_parameters_the_defaults_hold(void) {
    char title[61] = {0};
    memset(title, 'a', 60);
    struct belfry_test test = belfry_test_filter("shorten", NULL, 0);
    CHECK(belfry_test_apply(&test, title, NULL) == BELFRY_OK);
    CHECK_EQUAL((int64_t)strlen(test.left.title), (int64_t)(49 + strlen("…")));
    CHECK_TEXT(test.left.message, NULL);
    belfry_test_end(&test);
}

int main(void) {
    a_text_is_cut_between_words();
    a_long_word_is_cut_inside_but_never_a_character();
    title_and_message_have_limits_of_their_own();
    without_parameters_the_defaults_hold();
    return belfry_test_summary();
}
