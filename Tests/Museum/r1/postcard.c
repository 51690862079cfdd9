/// The action `postcard`, written for contract 1.0, with an argument of every type, and `letter`, which gets the whole action.
#include "belfry.h"

#include <stdio.h>
#include <string.h>

#define TEXT(literal) {(literal), sizeof(literal) - 1}

static belfry_status postcard(const char *to, int64_t stamps, double weight, belfry_bool is_urgent, const uint8_t *picture,
                              uint64_t picture_length, int64_t date, const belfry_action_result *result) {
    char text[200];
    snprintf(text, sizeof text, "to %s, %lld stamps, %.1f g%s, %llu bytes, %lld", to, (long long)stamps, weight,
             is_urgent ? ", urgent" : "", (unsigned long long)picture_length, (long long)date);
    const belfry_value said = {.kind = BELFRY_TEXT, .text = {text, strlen(text)}};
    result->set(result->owner, &said);
    return picture_length > 0 && picture[0] == 'h' ? BELFRY_OK : BELFRY_FAILED;
}

static belfry_status letter(const belfry_value *action, const belfry_value *payload, const belfry_action_result *result) {
    if (action->kind == BELFRY_MAP && payload->kind == BELFRY_MAP) result->fail(result->owner, "no stamps", 9);
    return BELFRY_FAILED;
}

static const belfry_action card = {
    .type = TEXT("postcard"), .summary = TEXT("Writes one."),
    .signature = TEXT("postcard(to: string, stamps: int = 1, weight: double, urgent: bool, picture: bytes, date: instant)"),
    .function = (belfry_action_function)postcard};
static const belfry_action whole = {
    .type = TEXT("letter"), .summary = TEXT("Writes more."), .signature = TEXT("(action, payload)"),
    .function = (belfry_action_function)letter};
static const belfry_action *const items[] = {&card, &whole};
static const belfry_actions actions = {items, 2};

static const void *get_extension(const char *id) { return strcmp(id, BELFRY_EXTENSION_ACTIONS) == 0 ? &actions : NULL; }

static const belfry_plugin plugin = {
    .magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .size = sizeof(belfry_plugin),
    .id = TEXT("museum.postcard"), .version = TEXT("1.0.0"), .get_extension = get_extension};

__attribute__((visibility("default"))) const belfry_plugin *belfry_plugin_entry_v1(const belfry_hello *hello) {
    (void)hello;
    return &plugin;
}
