#include "belfry_test.h"

/// The message that is left of one, with a limit.
static const char *shortened(const char *message, int64_t limit) {
    static struct belfry_test test;
    const belfry_value parameters[] = {belfry_test_integer("message", limit)};
    test = belfry_test_filter("shorten", parameters, 1);
    CHECK(belfry_test_apply(&test, NULL, message) == BELFRY_OK);
    belfry_test_end(&test);
    return test.text;
}

#define SHORTENED(message, limit, expected) CHECK(strcmp(shortened(message, limit), expected) == 0)

static void a_text_is_cut_between_words(void) {
    SHORTENED("Half price, today only", 22, "Half price, today only");
    SHORTENED("Half price, today only", 21, "Half price, today…");
    SHORTENED("Half price, today only", 18, "Half price, today…");
    SHORTENED("Half price, today only", 17, "Half price,…");
    SHORTENED("Half  price", 7, "Half…");
}

static void a_long_word_is_cut_inside_but_never_a_character(void) {
    SHORTENED("Donaudampfschiff", 8, "Donauda…");
    SHORTENED("éééé", 4, "éééé");
    SHORTENED("ééééé", 4, "ééé…");
    SHORTENED("ééééé", 1, "…");
    SHORTENED("", 1, "");
}

static void title_and_message_have_limits_of_their_own(void) {
    const belfry_value parameters[] = {belfry_test_integer("title", 5), belfry_test_integer("message", 9)};
    struct belfry_test test = belfry_test_filter("shorten", parameters, 2);
    CHECK(belfry_test_apply(&test, "Spring sale", "Half price") == BELFRY_OK);
    CHECK(strcmp(test.title, "Spri…") == 0);
    CHECK(strcmp(test.text, "Half…") == 0);
    CHECK(!test.is_dropped);
    belfry_test_end(&test);
}

static void without_parameters_the_defaults_hold(void) {
    char title[61] = {0};
    memset(title, 'a', 60);
    struct belfry_test test = belfry_test_filter("shorten", NULL, 0);
    CHECK(belfry_test_apply(&test, title, NULL) == BELFRY_OK);
    CHECK(strlen(test.title) == 49 + strlen("…"));
    CHECK(strcmp(test.text, "") == 0);
    belfry_test_end(&test);
}

int main(void) {
    a_text_is_cut_between_words();
    a_long_word_is_cut_inside_but_never_a_character();
    title_and_message_have_limits_of_their_own();
    without_parameters_the_defaults_hold();
    return belfry_test_summary();
}
