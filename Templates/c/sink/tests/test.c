#include "belfry_test.h"

static void each_notification_becomes_a_line(void) {
    remove("build/rung.txt");
    const belfry_value parameters[] = {belfry_test_string("file", "build/rung.txt")};
    const belfry_value data[] = {belfry_test_string("title", "Half price")};
    struct belfry_test test = belfry_test_sink_type("my-plugin", parameters, 1);
    CHECK(belfry_test_deliver(&test, "notification.created", "ana", data, 1) == BELFRY_DELIVERED);
    CHECK(belfry_test_deliver(&test, "notification.created", "bob", data, 1) == BELFRY_DELIVERED);
    belfry_test_end(&test);
    char text[100] = "";
    FILE *file = fopen("build/rung.txt", "r");
    CHECK(file && fread(text, 1, sizeof(text) - 1, file) > 0);
    if (file) fclose(file);
    CHECK_TEXT(text, "ana: Half price\nbob: Half price\n");
}

static void what_has_no_title_is_given_up(void) {
    const belfry_value parameters[] = {belfry_test_string("file", "build/rung.txt")};
    struct belfry_test test = belfry_test_sink_type("my-plugin", parameters, 1);
    CHECK(belfry_test_deliver(&test, "notification.deleted", "ana", NULL, 0) == BELFRY_DELIVER_NEVER);
    CHECK_TEXT(test.failure, "it has no title");
    belfry_test_end(&test);
}

static void a_file_that_cannot_be_written_to_is_tried_again(void) {
    const belfry_value parameters[] = {belfry_test_string("file", "nowhere/rung.txt")};
    const belfry_value data[] = {belfry_test_string("title", "Half price")};
    struct belfry_test test = belfry_test_sink_type("my-plugin", parameters, 1);
    CHECK(belfry_test_deliver(&test, "notification.created", "ana", data, 1) == BELFRY_DELIVERY_FAILED);
    CHECK_TEXT(test.failure, "the file cannot be opened");
    belfry_test_end(&test);
}

int main(void) {
    each_notification_becomes_a_line();
    what_has_no_title_is_given_up();
    a_file_that_cannot_be_written_to_is_tried_again();
    return belfry_test_summary();
}
