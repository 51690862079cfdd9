/// Shows a coupon when a notification is opened.
///
/// Read it from the bottom: the entry hands out the root, the root finds the table of actions by name, and the table has one
/// action, whose function stands above it. include/belfry/actions.h says which arguments follow from a signature.
#include "belfry.h"

#include <string.h>

/// A text of the contract from a literal: with a length, and without the NUL.
#define TEXT(literal) {(literal), sizeof(literal) - 1}

static belfry_status fail(const belfry_action_result *result, const char *sentence) {
    result->fail(result->owner, sentence, strlen(sentence));
    return BELFRY_FAILED;
}

/// Answers what the device is to show. The host has read, checked and converted the arguments.
static belfry_status show_coupon(const char *code, int64_t percent, const belfry_action_result *result) {
    if (percent < 1 || percent > 100) return fail(result, "'percent' should be from 1 to 100");
    const belfry_value members[] = {
        {.kind = BELFRY_TEXT, .key = TEXT("coupon"), .text = {code, strlen(code)}},
        {.kind = BELFRY_INTEGER, .key = TEXT("percent"), .integer = percent, .number = (double)percent},
    };
    const belfry_value answer = {.kind = BELFRY_MAP, .items = members, .count = sizeof(members) / sizeof(*members)};
    result->set(result->owner, &answer);
    return BELFRY_OK;
}

// MARK: The plugin

/// The type of the function follows from the signature. No compiler compares the two: a function of another type is called
/// wrongly.
static const belfry_action action = {
    .type = TEXT("my-plugin"),
    .summary = TEXT("Shows a coupon."),
    .signature = TEXT("my-plugin(code: string, percent: int = 10)"),
    .function = (belfry_action_function)show_coupon,
};

static const belfry_action *const items[] = {&action};
static const belfry_actions actions = {items, sizeof(items) / sizeof(*items)};

static const void *get_extension(const char *id) {
    return strcmp(id, BELFRY_EXTENSION_ACTIONS) == 0 ? &actions : NULL;
}

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("my-plugin"), .version = TEXT("0.1.0"), .get_extension = get_extension};

/// The only function that the host looks for.
__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
