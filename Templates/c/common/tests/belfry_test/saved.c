/// The store of a state that saves and loads itself, by key.
#include "internal.h"

/// What was saved so far. More than a strategy would keep.
struct pairs {
    struct belfry_test *test;
    belfry_value items[64];
    uint64_t count;
};

// MARK: Writing

static void add(void *owner, const char *key, uint64_t length, belfry_value value) {
    struct pairs *pairs = owner;
    belfry_test_require(pairs->count < 64, "more than 64 keys are saved by", pairs->test->name);
    value.key = (belfry_text){key, length};
    pairs->items[pairs->count++] = belfry_test_copy(pairs->test, &value);
}

static void add_integer(void *owner, const char *key, uint64_t length, int64_t value) {
    add(owner, key, length, belfry_test_integer(NULL, value));
}

static void add_number(void *owner, const char *key, uint64_t length, double value) {
    add(owner, key, length, belfry_test_number(NULL, value));
}

static void add_boolean(void *owner, const char *key, uint64_t length, belfry_bool value) {
    add(owner, key, length, belfry_test_boolean(NULL, (int)value));
}

static void add_instant(void *owner, const char *key, uint64_t length, int64_t value) {
    add(owner, key, length, belfry_test_instant(NULL, value));
}

static void add_text(void *owner, const char *key, uint64_t length, const char *value, uint64_t value_length) {
    add(owner, key, length, (belfry_value){.kind = BELFRY_TEXT, .text = {value, value_length}});
}

/// Values have no bytes, so a list of one text stands for them.
static void add_bytes(void *owner, const char *key, uint64_t length, const void *value, uint64_t value_length) {
    const belfry_value bytes = {.kind = BELFRY_TEXT, .text = {value_length > 0 ? value : "", value_length}};
    add(owner, key, length, belfry_test_list(NULL, &bytes, 1));
}

static void add_integers(void *owner, const char *key, uint64_t length, const int64_t *values, uint64_t count) {
    struct belfry_test *test = ((struct pairs *)owner)->test;
    belfry_value *items = belfry_test_allocate(&test->memory, count * sizeof(*items));
    for (uint64_t i = 0; i < count; i++) items[i] = belfry_test_integer(NULL, values[i]);
    add(owner, key, length, belfry_test_list(NULL, items, count));
}

belfry_value belfry_test_saved(struct belfry_test *test, const void *state) {
    struct pairs *pairs = belfry_test_allocate(&test->memory, sizeof(*pairs));
    pairs->test = test;
    const belfry_state_writer writer = {pairs,    add_integer, add_number,  add_boolean,
                                        add_text, add_bytes,   add_instant, add_integers};
    test->strategy->state_save(test->strategy->type, state, &writer);
    return belfry_test_map(NULL, pairs->items, pairs->count);
}

// MARK: Reading

static const belfry_value *find(void *owner, const char *key, uint64_t length, uint32_t kind) {
    const struct pairs *pairs = owner;
    const belfry_value map = belfry_test_map(NULL, pairs->items, pairs->count);
    const belfry_value *value = belfry_test_find(&map, belfry_test_copy_text(pairs->test, key, length));
    return value && value->kind == kind ? value : NULL;
}

static belfry_bool read_integer(void *owner, const char *key, uint64_t length, int64_t *out) {
    const belfry_value *value = find(owner, key, length, BELFRY_INTEGER);
    if (value) *out = value->integer;
    return value != NULL;
}

static belfry_bool read_number(void *owner, const char *key, uint64_t length, double *out) {
    const belfry_value *value = find(owner, key, length, BELFRY_NUMBER);
    if (value) *out = value->number;
    return value != NULL;
}

static belfry_bool read_boolean(void *owner, const char *key, uint64_t length, belfry_bool *out) {
    const belfry_value *value = find(owner, key, length, BELFRY_BOOLEAN);
    if (value) *out = (belfry_bool)value->integer;
    return value != NULL;
}

static belfry_bool read_instant(void *owner, const char *key, uint64_t length, int64_t *out) {
    const belfry_value *value = find(owner, key, length, BELFRY_INSTANT);
    if (value) *out = value->integer;
    return value != NULL;
}

static belfry_bool read_text(void *owner, const char *key, uint64_t length, belfry_text *out) {
    const belfry_value *value = find(owner, key, length, BELFRY_TEXT);
    if (value) *out = value->text;
    return value != NULL;
}

static belfry_bool read_bytes(void *owner, const char *key, uint64_t length, belfry_text *out) {
    const belfry_value *value = find(owner, key, length, BELFRY_LIST);
    if (!value || value->count != 1 || value->items[0].kind != BELFRY_TEXT) return 0;
    *out = value->items[0].text;
    return 1;
}

static belfry_bool read_integers(void *owner, const char *key, uint64_t length, const int64_t **out, uint64_t *count) {
    struct belfry_test *test = ((struct pairs *)owner)->test;
    const belfry_value *value = find(owner, key, length, BELFRY_LIST);
    if (!value || (value->count > 0 && value->items[0].kind != BELFRY_INTEGER)) return 0;
    int64_t *items = belfry_test_allocate(&test->lent, value->count * sizeof(*items));
    for (uint64_t i = 0; i < value->count; i++) items[i] = value->items[i].integer;
    *out = items;
    *count = value->count;
    return 1;
}

belfry_status belfry_test_load(struct belfry_test *test, void *state, uint32_t version, const belfry_value *saved) {
    struct pairs pairs = {.test = test};
    for (uint64_t i = 0; i < saved->count && i < 64; i++) pairs.items[pairs.count++] = saved->items[i];
    const belfry_state_reader reader = {&pairs,    read_integer, read_number,  read_boolean,
                                        read_text, read_bytes,   read_instant, read_integers};
    const belfry_sink error = belfry_test_sink(test);
    const belfry_status status =
        test->strategy->state_load(test->strategy->type, state, version, test->now, &reader, &error);
    belfry_test_free(&test->lent);
    return status;
}
