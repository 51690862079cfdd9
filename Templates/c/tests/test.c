#include "belfry_test.h"

#define MINUTE ((int64_t)60000)
#define HOUR (60 * MINUTE)

static void after_a_notification_there_is_a_pause(void) {
    const belfry_value parameters[] = {belfry_test_duration("pause", HOUR)};
    struct belfry_test test = belfry_test_strategy("my-strategy", parameters, 1);
    CHECK(belfry_test_request(&test, "hello"));
    belfry_test_save_and_load(&test);
    test.now += 59 * MINUTE;
    CHECK(!belfry_test_request(&test, "hello"));
    CHECK(test.until == HOUR);
    CHECK(strcmp(test.message, "the last one was created less than 3600 s ago") == 0);
    test.now += MINUTE;
    CHECK(belfry_test_request(&test, "hello"));
    belfry_test_end(&test);
}

static void the_pause_is_an_hour_by_default(void) {
    struct belfry_test test = belfry_test_strategy("my-strategy", NULL, 0);
    CHECK(belfry_test_request(&test, "hello"));
    CHECK(!belfry_test_request(&test, "hello") && test.until == HOUR);
    belfry_test_end(&test);
}

int main(void) {
    after_a_notification_there_is_a_pause();
    the_pause_is_an_hour_by_default();
    return belfry_test_summary();
}
