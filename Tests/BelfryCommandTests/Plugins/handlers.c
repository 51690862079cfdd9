/// Handlers in C with every type of argument. Each says what it got.
#include <stdio.h>
#include <string.h>

#include "belfry.h"

static void say(const belfry_action_result *result, const char *text) {
    const belfry_value value = {.kind = BELFRY_TEXT, .text = {text, strlen(text)}};
    result->set(result->owner, &value);
}

static belfry_status tell_all(belfry_bool flag, int64_t count, double price, const char *name, const uint8_t *blob,
                              uint64_t length, int64_t at, const belfry_action_result *result) {
    char hex[64] = "", text[512];
    for (uint64_t index = 0; index < length && index < 16; index++) sprintf(hex + 2 * index, "%02x", blob[index]);
    snprintf(text, sizeof(text), "flag %u, count %lld, price %.2f, name '%s', blob %s, at %lld", flag, (long long)count,
             price, name, hex, (long long)at);
    say(result, text);
    return BELFRY_OK;
}

static int length_of(const belfry_value *map, const char *key) {
    for (uint64_t index = 0; index < map->count; index++) {
        const belfry_value *item = &map->items[index];
        if (item->key.length == strlen(key) && memcmp(item->key.bytes, key, item->key.length) == 0) return (int)item->text.length;
    }
    return -1;
}

static belfry_status tell_action(const belfry_value *action, const belfry_action_result *result) {
    char text[64];
    snprintf(text, sizeof(text), "type of %d bytes, %d fields", length_of(action, "type"), (int)action->count);
    say(result, text);
    return BELFRY_OK;
}

static belfry_status tell_both(const belfry_value *action, const belfry_value *payload, const belfry_action_result *result) {
    char text[64];
    snprintf(text, sizeof(text), "%d fields, message of %d bytes", (int)action->count, length_of(payload, "message"));
    say(result, text);
    return BELFRY_OK;
}

static belfry_status refuse(const char *why, const belfry_action_result *result) {
    result->fail(result->owner, why, strlen(why));
    return BELFRY_FAILED;
}

#define T(literal) {literal, sizeof(literal) - 1}
static const belfry_action all = {
    T("c-all"), T("Tells every argument."),
    T("c-all(flag: bool = true, count: int = -7, price: double = 2.5, name: string = \"Zo\\u00eb\", blob: bytes = \"AAH/\", "
      "at: instant = \"2026-03-02T09:00:00Z\")"),
    (belfry_action_function)tell_all};
static const belfry_action whole = {T("c-action"), T("Tells the action."), T("(action)"), (belfry_action_function)tell_action};
static const belfry_action both = {
    T("c-both"), T("Tells action and notification."), T("c-both(action, payload)"), (belfry_action_function)tell_both};
static const belfry_action no = {T("c-refuse"), T("Fails."), T("(why: string)"), (belfry_action_function)refuse};
static const belfry_action *const list[] = {&all, &whole, &both, &no};
static const belfry_actions actions = {list, 4};

#define ID TEXT("test.handlers-c")
#define NAME TEXT("handlers-c")
#define OTHER_TABLE(id) (same(id, BELFRY_EXTENSION_ACTIONS) ? &actions : 0)
#include "../../Misbehaving/well-behaved.h"
