/// Drives one strategy or filter of a plugin alone, with a clock that is moved by hand: a small host for tests.
///
///     const belfry_value parameters[] = {belfry_test_duration("pause", 3600000)};
///     struct belfry_test test = belfry_test_strategy("my-strategy", parameters, 1);
///     CHECK(belfry_test_request(&test, "hello"));
///     test.now += 1000;
///     belfry_test_save_and_load(&test);
///     CHECK(!belfry_test_request(&test, "hello") && test.until == …);
///     belfry_test_end(&test);
///     return belfry_test_summary();
///
/// Each check is asked twice on the way: one that changes the state, or answers differently, is a failure. The host it offers has
/// no extensions. `belfry plugins` looks at the rest.
#ifndef BELFRY_TEST_H
#define BELFRY_TEST_H

#include "belfry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BELFRY_TEST_NEVER INT64_MIN

struct belfry_test {
    const belfry_strategy *strategy;  ///< or NULL
    const belfry_filter *filter;      ///< or NULL
    void *instance;
    void *state;
    int64_t now;  ///< ms since 1970; move it as you like

    // What was answered last.
    belfry_verdict verdict;
    char code[64];
    char message[256];  ///< the reason's, or why a filter dropped it
    int64_t until;      ///< BELFRY_TEST_NEVER: none

    // What a filter left.
    belfry_bool is_dropped;
    char title[1024];
    char text[4096];  ///< its message
};

// MARK: Checks

static int belfry_test_passed, belfry_test_failed;

#define CHECK(claim) belfry_test_check((claim) != 0, #claim, __FILE__, __LINE__)

static inline void belfry_test_check(int holds, const char *claim, const char *file, int line) {
    holds ? belfry_test_passed++ : belfry_test_failed++;
    if (!holds) printf("%s:%d: this does not hold: %s\n", file, line, claim);
}

/// Says how many checks held; the exit status of the tests.
static inline int belfry_test_summary(void) {
    printf("%d passed, %d failed\n", belfry_test_passed, belfry_test_failed);
    return belfry_test_failed > 0;
}

// MARK: Values

static inline belfry_text belfry_test_text(const char *text) {
    return text ? (belfry_text){text, strlen(text)} : (belfry_text){0};
}

static inline belfry_value belfry_test_integer(const char *key, int64_t number) {
    return (belfry_value){.kind = BELFRY_INTEGER, .key = belfry_test_text(key), .integer = number, .number = (double)number};
}

static inline belfry_value belfry_test_duration(const char *key, int64_t milliseconds) {
    return (belfry_value){.kind = BELFRY_DURATION, .key = belfry_test_text(key), .integer = milliseconds};
}

static inline belfry_value belfry_test_string(const char *key, const char *text) {
    return (belfry_value){.kind = BELFRY_TEXT, .key = belfry_test_text(key), .text = belfry_test_text(text)};
}

/// As C text, cut off where there is no more room.
static inline void belfry_test_copy(char *out, size_t size, const char *bytes, uint64_t length) {
    const size_t count = !bytes ? 0 : length < size ? (size_t)length : size - 1;
    if (count > 0) memcpy(out, bytes, count);
    out[count] = 0;
}

// MARK: Set up

static inline const void *belfry_test_no_extension(const belfry_host *host, const char *id) {
    (void)host, (void)id;
    return NULL;
}

static const belfry_host belfry_test_host = {
    .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR, .get_extension = belfry_test_no_extension};

static inline void belfry_test_complain(void *owner, const char *bytes, uint64_t length) {
    (void)owner;
    printf("the plugin says: %.*s\n", (int)length, bytes);
}

static const belfry_sink belfry_test_error = {NULL, belfry_test_complain};

static inline void belfry_test_require(int holds, const char *what, const char *name) {
    if (holds) return;
    printf("%s '%s'\n", what, name);
    exit(1);
}

static inline const void *belfry_test_extension(const char *id, const char *name) {
    const belfry_hello hello = {.magic = BELFRY_MAGIC, .abi_major = BELFRY_ABI_MAJOR, .abi_minor = BELFRY_ABI_MINOR};
    const belfry_plugin *plugin = belfry_plugin_entry_v1(&hello);
    belfry_test_require(plugin && plugin->magic == BELFRY_MAGIC, "the entry gives no plugin for", name);
    static int is_set_up;
    if (plugin->init && !is_set_up++)
        belfry_test_require(plugin->init(&belfry_test_host, &belfry_test_error) == BELFRY_OK, "its init failed for", name);
    const void *table = plugin->get_extension(id);
    belfry_test_require(table != NULL, "the plugin has no table for", name);
    return table;
}

static inline void *belfry_test_create(void *(*create)(void *, const belfry_host *, const belfry_value *, const belfry_sink *),
                                       void *type, const char *name, const belfry_value *parameters, uint64_t count) {
    const belfry_value map = {.kind = BELFRY_MAP, .items = parameters, .count = count};
    void *instance = create(type, &belfry_test_host, count ? &map : NULL, &belfry_test_error);
    belfry_test_require(instance != NULL, "these parameters are refused by", name);
    return instance;
}

static inline void *belfry_test_new_state(const belfry_strategy *strategy) {
    if (strategy->state_size == 0) return NULL;
    void *state = calloc(1, strategy->state_size + 16);  // malloc aligns to 16, as much as a state may ask for
    strategy->state_init(strategy->type, state);
    return state;
}

/// - parameters: the members of the mapping under `parameters`; none: the defaults.
static inline struct belfry_test belfry_test_strategy(const char *name, const belfry_value *parameters, uint64_t count) {
    const belfry_strategies *offered = belfry_test_extension(BELFRY_EXTENSION_STRATEGY, name);
    struct belfry_test test = {.until = BELFRY_TEST_NEVER};
    for (uint64_t i = 0; i < offered->count; i++) {
        const belfry_strategy *item = offered->items[i];
        if (item->name.length == strlen(name) && memcmp(item->name.bytes, name, item->name.length) == 0) test.strategy = item;
    }
    belfry_test_require(test.strategy != NULL, "the plugin has no strategy", name);
    test.instance = belfry_test_create(test.strategy->create, test.strategy->type, name, parameters, count);
    test.state = belfry_test_new_state(test.strategy);
    return test;
}

/// - parameters: the members of the mapping under `parameters`; none: the defaults.
static inline struct belfry_test belfry_test_filter(const char *name, const belfry_value *parameters, uint64_t count) {
    const belfry_filters *offered = belfry_test_extension(BELFRY_EXTENSION_FILTER, name);
    struct belfry_test test = {.until = BELFRY_TEST_NEVER};
    for (uint64_t i = 0; i < offered->count; i++) {
        const belfry_filter *item = offered->items[i];
        if (item->name.length == strlen(name) && memcmp(item->name.bytes, name, item->name.length) == 0) test.filter = item;
    }
    belfry_test_require(test.filter != NULL, "the plugin has no filter", name);
    test.instance = belfry_test_create(test.filter->create, test.filter->type, name, parameters, count);
    return test;
}

static inline void belfry_test_end(struct belfry_test *test) {
    if (test->state) test->strategy->state_destroy(test->strategy->type, test->state);
    free(test->state);
    (test->strategy ? test->strategy->destroy : test->filter->destroy)(test->instance);
}

// MARK: A strategy

static inline void belfry_test_explain(void *owner, belfry_text const *code, belfry_text const *message) {
    struct belfry_test *test = owner;
    belfry_test_copy(test->code, sizeof(test->code), code->bytes, code->length);
    belfry_test_copy(test->message, sizeof(test->message), message->bytes, message->length);
}

static inline void belfry_test_until(void *owner, int64_t instant) { ((struct belfry_test *)owner)->until = instant; }

static inline void belfry_test_ask(struct belfry_test *test, const belfry_candidate *candidate, const belfry_context *context) {
    const belfry_reason reason = {test, belfry_test_explain, belfry_test_until};
    test->until = BELFRY_TEST_NEVER;
    test->code[0] = test->message[0] = 0;
    test->verdict = test->strategy->should_create(test->instance, test->state, candidate, context, &reason);
}

/// Asks whether it may be created, and tells that it was if so.
static inline int belfry_test_request(struct belfry_test *test, const char *campaign) {
    const belfry_candidate candidate = {
        .campaign = belfry_test_text(campaign), .trigger = belfry_test_text("request"), .event = belfry_test_text("request")};
    const belfry_context context = {.now = test->now, .subject = belfry_test_text("ana"), .channel = belfry_test_text("phone")};
    const uint64_t size = test->strategy->state_size;
    void *before = size ? memcpy(malloc(size), test->state, size) : NULL;
    belfry_test_ask(test, &candidate, &context);
    const struct belfry_test first = *test;
    belfry_test_ask(test, &candidate, &context);
    belfry_test_check(first.verdict == test->verdict && first.until == test->until, "the check answers the same twice", __FILE__, __LINE__);
    belfry_test_check(size == 0 || memcmp(before, test->state, size) == 0, "the check leaves the state alone", __FILE__, __LINE__);
    free(before);
    const belfry_bool created = test->verdict == BELFRY_ALLOW || test->verdict == BELFRY_ABSTAIN;
    if (test->strategy->did_create)
        test->strategy->did_create(test->instance, test->state, &candidate, created, &context);
    return (int)created;
}

/// The user taps a notification of that campaign.
static inline void belfry_test_open(struct belfry_test *test, const char *campaign) {
    const belfry_candidate candidate = {.campaign = belfry_test_text(campaign)};
    const belfry_context context = {.now = test->now, .subject = belfry_test_text("ana"), .channel = belfry_test_text("phone")};
    if (test->strategy->on_opened) test->strategy->on_opened(test->instance, test->state, &candidate, &context);
}

// MARK: Saving and loading

/// What was saved, a key each; lists of integers are bytes here.
struct belfry_test_store {
    struct {
        char key[64], kind;
        int64_t integer;
        double number;
        char bytes[1024];
        uint64_t length;
    } entries[32];
    int count;
};

static inline int belfry_test_find(const struct belfry_test_store *store, const char *key, uint64_t length, char kind) {
    for (int i = 0; i < store->count; i++)
        if (strlen(store->entries[i].key) == length && memcmp(store->entries[i].key, key, length) == 0 &&
            store->entries[i].kind == kind)
            return i;
    return -1;
}

static inline int belfry_test_add(struct belfry_test_store *store, const char *key, uint64_t length, char kind,
                                  const void *bytes, uint64_t count) {
    if (store->count == 32 || length >= 64 || count > 1024) {
        printf("this test keeps at most 32 keys, of 64 bytes, with 1024 bytes each\n");
        exit(1);
    }
    const int i = store->count++;
    belfry_test_copy(store->entries[i].key, 64, key, length);
    store->entries[i].kind = kind;
    store->entries[i].length = count;
    if (count > 0) memcpy(store->entries[i].bytes, bytes, count);
    return i;
}

#define BELFRY_TEST_WRITE(name, type, member, kind)                                                  \
    static inline void belfry_test_write_##name(void *o, const char *key, uint64_t length, type v) { \
        struct belfry_test_store *store = o;                                                         \
        const int i = belfry_test_add(store, key, length, kind, NULL, 0);                            \
        store->entries[i].member = v;                                                                \
    }                                                                                                \
    static inline belfry_bool belfry_test_read_##name(void *o, const char *key, uint64_t length, type *out) { \
        const struct belfry_test_store *store = o;                                                   \
        const int i = belfry_test_find(store, key, length, kind);                                    \
        if (i >= 0) *out = (type)store->entries[i].member;                                           \
        return i >= 0;                                                                               \
    }
BELFRY_TEST_WRITE(integer, int64_t, integer, 'i')
BELFRY_TEST_WRITE(number, double, number, 'n')
BELFRY_TEST_WRITE(boolean, belfry_bool, integer, 'b')
BELFRY_TEST_WRITE(instant, int64_t, integer, 't')
#undef BELFRY_TEST_WRITE

static inline void belfry_test_write_text(void *o, const char *key, uint64_t length, const char *v, uint64_t count) {
    belfry_test_add(o, key, length, 's', v, count);
}
static inline void belfry_test_write_bytes(void *o, const char *key, uint64_t length, const void *v, uint64_t count) {
    belfry_test_add(o, key, length, 'd', v, count);
}
static inline void belfry_test_write_integers(void *o, const char *key, uint64_t length, const int64_t *v, uint64_t count) {
    belfry_test_add(o, key, length, 'l', v, count * sizeof(*v));
}
static inline belfry_bool belfry_test_read_kind(void *o, const char *key, uint64_t length, char kind, belfry_text *out) {
    const struct belfry_test_store *store = o;
    const int i = belfry_test_find(store, key, length, kind);
    if (i >= 0) *out = (belfry_text){store->entries[i].bytes, store->entries[i].length};
    return i >= 0;
}
static inline belfry_bool belfry_test_read_text(void *o, const char *key, uint64_t length, belfry_text *out) {
    return belfry_test_read_kind(o, key, length, 's', out);
}
static inline belfry_bool belfry_test_read_bytes(void *o, const char *key, uint64_t length, belfry_text *out) {
    return belfry_test_read_kind(o, key, length, 'd', out);
}
static inline belfry_bool belfry_test_read_integers(void *o, const char *key, uint64_t length, const int64_t **out,
                                                    uint64_t *count) {
    belfry_text list;
    if (!belfry_test_read_kind(o, key, length, 'l', &list)) return 0;
    *out = (const int64_t *)(const void *)list.bytes;
    *count = list.length / sizeof(int64_t);
    return 1;
}

/// As if the process had ended and started again.
static inline void belfry_test_save_and_load(struct belfry_test *test) {
    const belfry_strategy *strategy = test->strategy;
    if (!test->state) return;
    struct belfry_test_store store = {.count = 0};
    const belfry_state_writer writer = {
        &store, belfry_test_write_integer, belfry_test_write_number, belfry_test_write_boolean, belfry_test_write_text,
        belfry_test_write_bytes, belfry_test_write_instant, belfry_test_write_integers};
    const belfry_state_reader reader = {
        &store, belfry_test_read_integer, belfry_test_read_number, belfry_test_read_boolean, belfry_test_read_text,
        belfry_test_read_bytes, belfry_test_read_instant, belfry_test_read_integers};
    strategy->state_save(strategy->type, test->state, &writer);
    strategy->state_destroy(strategy->type, test->state);
    free(test->state);
    test->state = belfry_test_new_state(strategy);
    const belfry_status status =
        strategy->state_load(strategy->type, test->state, strategy->state_version, &reader, &belfry_test_error);
    belfry_test_check(status == BELFRY_OK, "what was saved can be loaded", __FILE__, __LINE__);
}

// MARK: A filter

static inline void belfry_test_set_title(void *o, const char *text, uint64_t length) {
    belfry_test_copy(((struct belfry_test *)o)->title, sizeof(((struct belfry_test *)o)->title), text, length);
}
static inline void belfry_test_set_text(void *o, const char *text, uint64_t length) {
    belfry_test_copy(((struct belfry_test *)o)->text, sizeof(((struct belfry_test *)o)->text), text, length);
}
static inline void belfry_test_drop(void *o, const char *text, uint64_t length) {
    struct belfry_test *test = o;
    test->is_dropped = 1;
    belfry_test_copy(test->message, sizeof(test->message), text, length);
}
static inline void belfry_test_ignore_text(void *o, const char *text, uint64_t length) { (void)o, (void)text, (void)length; }
static inline void belfry_test_ignore_value(void *o, const belfry_value *value) { (void)o, (void)value; }

/// Puts a notification through the filter; `title`, `text` and `is_dropped` tell what it left.
static inline belfry_status belfry_test_apply(struct belfry_test *test, const char *title, const char *message) {
    const belfry_candidate candidate = {
        .campaign = belfry_test_text("sale"), .title = belfry_test_text(title), .message = belfry_test_text(message)};
    const belfry_context context = {.now = test->now, .subject = belfry_test_text("ana"), .channel = belfry_test_text("phone")};
    belfry_test_copy(test->title, sizeof(test->title), title, title ? strlen(title) : 0);
    belfry_test_copy(test->text, sizeof(test->text), message, message ? strlen(message) : 0);
    test->is_dropped = 0;
    const belfry_edits edits = {
        test, belfry_test_set_title, belfry_test_set_text, belfry_test_ignore_text, belfry_test_ignore_value,
        belfry_test_ignore_value, belfry_test_ignore_value, belfry_test_drop};
    return test->filter->apply(test->instance, &candidate, &context, &edits, &belfry_test_error);
}

#endif
