#include "belfry_test.h"

/// The type of the handler, as it follows from its signature.
typedef belfry_status handler(const char *value, const belfry_action_result *result);

static void a_web_page_is_shown_inside_the_app(void) {
    struct belfry_test test = belfry_test_action("url");
    handler *open = (handler *)test.action->function;
    CHECK(open("https://shop.example/spring", belfry_test_result(&test)) == BELFRY_OK);
    CHECK_TEXT(belfry_test_member(&test.result, "opened").text.bytes, "https://shop.example/spring");
    CHECK_TEXT(belfry_test_member(&test.result, "in").text.bytes, "app");
    belfry_test_end(&test);
}

static void what_is_no_web_page_is_refused(void) {
    struct belfry_test test = belfry_test_action("url");
    handler *open = (handler *)test.action->function;
    CHECK(open("tel:112", belfry_test_result(&test)) == BELFRY_FAILED);
    CHECK_TEXT(test.failure, "only a web page can be shown inside the app: the address should begin with https://");
    CHECK(test.result.kind == BELFRY_NULL);
    belfry_test_end(&test);
}

int main(void) {
    a_web_page_is_shown_inside_the_app();
    what_is_no_web_page_is_refused();
    return belfry_test_summary();
}
