/// Shows web pages inside the app instead of in the browser: takes over the action type `url`.
///
/// A whole plugin, to be used as it is or to begin with. The handler is an ordinary C function: its arguments follow from the
/// signature below, and the host has checked and converted them before it calls.
#include "belfry.h"

#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

static belfry_status fail(const belfry_action_result *result, const char *sentence) {
    result->fail(result->owner, sentence, strlen(sentence));
    return BELFRY_FAILED;
}

/// Answers what the device is to do, which shows the page: `{"opened": …, "in": "app"}`.
static belfry_status open_in_app(const char *value, const belfry_action_result *result) {
    if (strncmp(value, "https://", 8) != 0 && strncmp(value, "http://", 7) != 0)
        return fail(result, "only a web page can be shown inside the app: the address should begin with https://");
    const belfry_value members[] = {
        {.kind = BELFRY_TEXT, .key = TEXT("opened"), .text = {value, strlen(value)}},
        {.kind = BELFRY_TEXT, .key = TEXT("in"), .text = TEXT("app")}};
    const belfry_value answer = {.kind = BELFRY_MAP, .items = members, .count = 2};
    result->set(result->owner, &answer);
    return BELFRY_OK;
}

static const belfry_action url = {
    .type = TEXT("url"), .summary = TEXT("shows a web page inside the app"), .signature = TEXT("url(value: string)"),
    .function = (belfry_action_function)open_in_app};
static const belfry_action *const items[] = {&url};
static const belfry_actions actions = {items, 1};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_ACTIONS) == 0 ? &actions : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("web-action"), .version = TEXT("1.0.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
