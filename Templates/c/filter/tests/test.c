#include "belfry_test.h"

static void a_title_that_is_too_long_is_cut(void) {
    const belfry_value parameters[] = {belfry_test_integer("length", 6)};
    struct belfry_test test = belfry_test_filter("my-plugin", parameters, 1);
    CHECK(belfry_test_apply(&test, "Spring", "Half price") == BELFRY_OK);
    CHECK_TEXT(test.left.title, "Spring");
    CHECK(belfry_test_apply(&test, "Spring sale", "Half price") == BELFRY_OK);
    CHECK_TEXT(test.left.title, "Sprin…");
    CHECK_TEXT(test.left.message, "Half price");
    belfry_test_end(&test);
}

static void characters_count_and_not_bytes(void) {
    const belfry_value parameters[] = {belfry_test_integer("length", 4)};
    struct belfry_test test = belfry_test_filter("my-plugin", parameters, 1);
    CHECK(belfry_test_apply(&test, "éééé", NULL) == BELFRY_OK);
    CHECK_TEXT(test.left.title, "éééé");
    CHECK(belfry_test_apply(&test, "ééééé", NULL) == BELFRY_OK);
    CHECK_TEXT(test.left.title, "ééé…");
    belfry_test_end(&test);
}

static void without_a_title_there_is_nothing_to_cut(void) {
    struct belfry_test test = belfry_test_filter("my-plugin", NULL, 0);
    CHECK(belfry_test_apply(&test, NULL, "Half price") == BELFRY_OK);
    CHECK_TEXT(test.left.title, NULL);
    belfry_test_end(&test);
}

int main(void) {
    a_title_that_is_too_long_is_cut();
    characters_count_and_not_bytes();
    without_a_title_there_is_nothing_to_cut();
    return belfry_test_summary();
}
