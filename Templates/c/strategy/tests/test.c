#include "belfry_test.h"

#define MINUTE ((int64_t)60000)
#define HOUR (60 * MINUTE)

static void after_a_notification_there_is_a_pause(void) {
    const belfry_value parameters[] = {belfry_test_duration("pause", HOUR)};
    struct belfry_test test = belfry_test_strategy("my-plugin", parameters, 1);
    CHECK(belfry_test_request(&test, "hello"));
    belfry_test_save_and_load(&test);
    test.now += 59 * MINUTE;
    CHECK(!belfry_test_request(&test, "hello"));
    CHECK_EQUAL(test.until, test.now + MINUTE);
    CHECK_TEXT(test.message, "the last one was created less than 3600 s ago");
    test.now += MINUTE;
    CHECK(belfry_test_request(&test, "hello"));
    CHECK_EQUAL(belfry_test_field(&test, "createdAt").integer, test.now);
    belfry_test_end(&test);
}

static void what_others_refuse_begins_no_pause(void) {
    struct belfry_test test = belfry_test_strategy("my-plugin", NULL, 0);
    test.others_deny = 1;
    CHECK(!belfry_test_request(&test, "hello"));
    CHECK(belfry_test_field(&test, "createdAt").kind == BELFRY_NULL);
    belfry_test_end(&test);
}

static void what_an_earlier_version_stored_still_counts(void) {
    const belfry_value stored[] = {belfry_test_instant("createdAt", 0)};
    struct belfry_test test = belfry_test_strategy("my-plugin", NULL, 0);
    belfry_test_begin(&test, 0, stored, 1);
    CHECK(!belfry_test_request(&test, "hello"));
    CHECK_EQUAL(test.until, HOUR);
    belfry_test_end(&test);
}

int main(void) {
    after_a_notification_there_is_a_pause();
    what_others_refuse_begins_no_pause();
    what_an_earlier_version_stored_still_counts();
    return belfry_test_summary();
}
