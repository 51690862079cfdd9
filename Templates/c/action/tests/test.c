#include "belfry_test.h"

/// The type of the function, as it follows from the signature.
typedef belfry_status handler(const char *code, int64_t percent, const belfry_action_result *result);

static void the_device_is_told_what_to_show(void) {
    struct belfry_test test = belfry_test_action("my-plugin");
    handler *perform = (handler *)test.action->function;
    CHECK(perform("SPRING", 20, belfry_test_result(&test)) == BELFRY_OK);
    CHECK_TEXT(belfry_test_member(&test.result, "coupon").text.bytes, "SPRING");
    CHECK_EQUAL(belfry_test_member(&test.result, "percent").integer, 20);
    belfry_test_end(&test);
}

static void more_than_everything_cannot_be_taken_off(void) {
    struct belfry_test test = belfry_test_action("my-plugin");
    handler *perform = (handler *)test.action->function;
    CHECK(perform("SPRING", 101, belfry_test_result(&test)) == BELFRY_FAILED);
    CHECK_TEXT(test.failure, "'percent' should be from 1 to 100");
    belfry_test_end(&test);
}

int main(void) {
    the_device_is_told_what_to_show();
    more_than_everything_cannot_be_taken_off();
    return belfry_test_summary();
}
