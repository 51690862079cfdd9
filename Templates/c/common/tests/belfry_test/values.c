/// Values, and the memory that they are in.
#include "internal.h"

#include <stdarg.h>
#include <stdlib.h>

// MARK: Memory

struct belfry_test_block {
    struct belfry_test_block *next;
    uint64_t padding;  // so that what follows is at a multiple of 16
};

void *belfry_test_allocate(struct belfry_test_block **memory, uint64_t size) {
    struct belfry_test_block *block = calloc(1, sizeof(*block) + size);
    belfry_test_require(block != NULL, "there is no memory left for", "the test");
    block->next = *memory;
    *memory = block;
    return block + 1;
}

void belfry_test_free(struct belfry_test_block **memory) {
    while (*memory) {
        struct belfry_test_block *block = *memory;
        *memory = block->next;
        free(block);
    }
}

// MARK: Making values

belfry_text belfry_test_text(const char *text) { return text ? (belfry_text){text, strlen(text)} : (belfry_text){0}; }

static belfry_value whole(uint32_t kind, const char *key, int64_t number) {
    return (belfry_value){.kind = kind, .key = belfry_test_text(key), .integer = number, .number = (double)number};
}

static belfry_value many(uint32_t kind, const char *key, const belfry_value *items, uint64_t count) {
    return (belfry_value){.kind = kind, .key = belfry_test_text(key), .items = items, .count = count};
}

belfry_value belfry_test_boolean(const char *key, int flag) {
    return (belfry_value){.kind = BELFRY_BOOLEAN, .key = belfry_test_text(key), .integer = flag != 0};
}

belfry_value belfry_test_integer(const char *key, int64_t number) { return whole(BELFRY_INTEGER, key, number); }

belfry_value belfry_test_number(const char *key, double number) {
    return (belfry_value){.kind = BELFRY_NUMBER, .key = belfry_test_text(key), .number = number};
}

belfry_value belfry_test_string(const char *key, const char *text) {
    return (belfry_value){.kind = BELFRY_TEXT, .key = belfry_test_text(key), .text = belfry_test_text(text)};
}

belfry_value belfry_test_duration(const char *key, int64_t ms) { return whole(BELFRY_DURATION, key, ms); }

belfry_value belfry_test_instant(const char *key, int64_t ms) { return whole(BELFRY_INSTANT, key, ms); }

belfry_value belfry_test_list(const char *key, const belfry_value *items, uint64_t count) {
    return many(BELFRY_LIST, key, items, count);
}

belfry_value belfry_test_map(const char *key, const belfry_value *members, uint64_t count) {
    return many(BELFRY_MAP, key, members, count);
}

// MARK: Copying

const char *belfry_test_copy_text(struct belfry_test *test, const char *bytes, uint64_t length) {
    if (!bytes) return NULL;
    char *copy = belfry_test_allocate(&test->memory, length + 1);
    if (length > 0) memcpy(copy, bytes, length);
    return copy;
}

belfry_value belfry_test_copy(struct belfry_test *test, const belfry_value *value) {
    belfry_value copy = *value;
    copy.text.bytes = belfry_test_copy_text(test, value->text.bytes, value->text.length);
    copy.key.bytes = belfry_test_copy_text(test, value->key.bytes, value->key.length);
    belfry_value *items = belfry_test_allocate(&test->memory, value->count * sizeof(*items));
    for (uint64_t i = 0; i < value->count; i++) items[i] = belfry_test_copy(test, &value->items[i]);
    copy.items = items;
    return copy;
}

// MARK: Looking at values

static int is_same_text(belfry_text one, belfry_text other) {
    return !one.bytes == !other.bytes && one.length == other.length &&
           (one.length == 0 || memcmp(one.bytes, other.bytes, one.length) == 0);
}

int belfry_test_is_same(const belfry_value *one, const belfry_value *other) {
    if (!one || !other) return one == other;
    // Bytes of a number, because one that is not a number is the same as itself here.
    int is_same = one->kind == other->kind && one->integer == other->integer &&
                  memcmp(&one->number, &other->number, sizeof(double)) == 0 && is_same_text(one->text, other->text) &&
                  is_same_text(one->key, other->key) && one->count == other->count;
    for (uint64_t i = 0; is_same && i < one->count; i++) is_same = belfry_test_is_same(&one->items[i], &other->items[i]);
    return is_same;
}

int belfry_test_is_text(belfry_text text, const char *other) { return is_same_text(text, belfry_test_text(other)); }

const belfry_value *belfry_test_find(const belfry_value *map, const char *key) {
    for (uint64_t i = 0; map && i < map->count; i++)
        if (belfry_test_is_text(map->items[i].key, key)) return &map->items[i];
    return NULL;
}

belfry_value belfry_test_member(const belfry_value *map, const char *key) {
    const belfry_value *member = belfry_test_find(map, key);
    return member ? *member : (belfry_value){.kind = BELFRY_NULL};
}

const char *belfry_test_format(struct belfry_test *test, const char *format, ...) {
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return belfry_test_copy_text(test, text, strlen(text));
}

static const char *shown_items(struct belfry_test *test, const belfry_value *value) {
    const char *text = "";
    for (uint64_t i = 0; i < value->count; i++) {
        const belfry_value *item = &value->items[i];
        text = belfry_test_format(test, "%s%s%.*s%s%s", text, i ? ", " : "", (int)item->key.length,
                                  item->key.bytes ? item->key.bytes : "", item->key.bytes ? " = " : "",
                                  belfry_test_shown(test, item));
    }
    return text;
}

const char *belfry_test_shown(struct belfry_test *test, const belfry_value *value) {
    switch (value->kind) {
    case BELFRY_NULL: return "none";
    case BELFRY_BOOLEAN: return value->integer ? "true" : "false";
    case BELFRY_NUMBER: return belfry_test_format(test, "%g", value->number);
    case BELFRY_TEXT: return belfry_test_format(test, "'%.*s'", (int)value->text.length, value->text.bytes);
    case BELFRY_LIST: return belfry_test_format(test, "[%s]", shown_items(test, value));
    case BELFRY_MAP: return belfry_test_format(test, "{%s}", shown_items(test, value));
    case BELFRY_INSTANT: return belfry_test_time(test, value->integer);
    case BELFRY_DURATION: return belfry_test_format(test, "%lld ms", (long long)value->integer);
    default: return belfry_test_format(test, "%lld", (long long)value->integer);
    }
}

/// A member that is not there is none.
static const char *shown_member(struct belfry_test *test, const belfry_value *map, belfry_text key) {
    const belfry_value *member = belfry_test_find(map, belfry_test_copy_text(test, key.bytes, key.length));
    return member ? belfry_test_shown(test, member) : "none";
}

const char *belfry_test_difference(struct belfry_test *test, const belfry_value *before, const belfry_value *after) {
    const char *text = "";
    for (uint64_t i = 0; i < before->count + after->count; i++) {
        const int is_old = i < before->count;
        const belfry_text key = is_old ? before->items[i].key : after->items[i - before->count].key;
        const char *was = shown_member(test, before, key), *is = shown_member(test, after, key);
        if (strcmp(was, is) == 0 || (!is_old && strcmp(was, "none") != 0)) continue;
        text = belfry_test_format(test, "%s%s%.*s was %s and is %s", text, *text ? ", " : "", (int)key.length, key.bytes,
                                  was, is);
    }
    return text;
}
