/// What is stored of a state: its fields by name, or what the strategy saves itself.
#include "internal.h"

int belfry_test_is_declared(const struct belfry_test *test) { return test->strategy->fields != NULL; }

unsigned char *belfry_test_new_state(struct belfry_test *test) {
    if (test->strategy->state_size == 0) return NULL;
    unsigned char *state = belfry_test_allocate(&test->memory, test->strategy->state_size);
    if (test->strategy->state_init) test->strategy->state_init(test->strategy->type, state);
    return state;
}

// MARK: Reading

static int is_list(const belfry_field *field) {
    return field->type == BELFRY_FIELD_INTEGERS || field->type == BELFRY_FIELD_INSTANTS;
}

/// A boolean has a third value; behind every other number is a byte that says so.
static int is_absent(const belfry_field *field, const unsigned char *place) {
    if (!(field->flags & BELFRY_FIELD_OPTIONAL)) return 0;
    return field->type == BELFRY_FIELD_BOOLEAN ? *place > 1 : place[8] != 0;
}

static belfry_value text_at(struct belfry_test *test, const unsigned char *place) {
    belfry_text text;
    memcpy(&text, place, sizeof(text));
    if (text.length > 0 && !text.bytes) {
        belfry_test_fail(test, "leaves a text in its state that makes no sense", "it has a length and no address",
                         "point it to memory that stays until the hook returns, such as that of belfry.scratch");
        text.length = 0;
    }
    return text.length > 0 ? (belfry_value){.kind = BELFRY_TEXT, .text = text} : (belfry_value){.kind = BELFRY_NULL};
}

static belfry_value list_at(struct belfry_test *test, const belfry_field *field, const unsigned char *place) {
    belfry_integers list;
    memcpy(&list, place, sizeof(list));
    if (list.count > 0 && !list.items) {
        belfry_test_fail(test, "leaves a list in its state that makes no sense", "it has a count and no address",
                         "point it to memory that stays until the hook returns, such as that of belfry.scratch");
        list.count = 0;
    }
    belfry_value *items = belfry_test_allocate(&test->memory, list.count * sizeof(*items));
    for (uint64_t i = 0; i < list.count; i++)
        items[i] = field->type == BELFRY_FIELD_INSTANTS ? belfry_test_instant(NULL, list.items[i])
                                                        : belfry_test_integer(NULL, list.items[i]);
    return list.count > 0 ? belfry_test_list(NULL, items, list.count) : (belfry_value){.kind = BELFRY_NULL};
}

static belfry_value number_at(const belfry_field *field, const unsigned char *place) {
    int64_t whole;
    double number;
    memcpy(&whole, place, sizeof(whole));
    memcpy(&number, place, sizeof(number));
    switch (field->type) {
    case BELFRY_FIELD_NUMBER: return belfry_test_number(NULL, number);
    case BELFRY_FIELD_DURATION: return belfry_test_duration(NULL, whole);
    case BELFRY_FIELD_INSTANT:
        return whole == BELFRY_TEST_NEVER ? (belfry_value){.kind = BELFRY_NULL} : belfry_test_instant(NULL, whole);
    default: return belfry_test_integer(NULL, whole);
    }
}

static belfry_value field_at(struct belfry_test *test, const belfry_field *field, const unsigned char *place) {
    if (is_absent(field, place)) return (belfry_value){.kind = BELFRY_NULL};
    if (field->type == BELFRY_FIELD_BOOLEAN) return belfry_test_boolean(NULL, *place);
    if (field->type == BELFRY_FIELD_TEXT) return text_at(test, place);
    return is_list(field) ? list_at(test, field, place) : number_at(field, place);
}

belfry_value belfry_test_stored(struct belfry_test *test, const unsigned char *state) {
    if (!state) return belfry_test_map(NULL, NULL, 0);
    if (!belfry_test_is_declared(test)) return belfry_test_saved(test, state);
    const belfry_strategy *strategy = test->strategy;
    belfry_value *values = belfry_test_allocate(&test->memory, strategy->field_count * sizeof(*values));
    for (uint64_t i = 0; i < strategy->field_count; i++) {
        const belfry_field *field = &strategy->fields[i];
        belfry_value value = field_at(test, field, state + field->offset);
        value.key = field->name;
        values[i] = belfry_test_copy(test, &value);  // a text may lie in memory that is lent
    }
    return belfry_test_map(NULL, values, strategy->field_count);
}

// MARK: Writing

static int fits(const belfry_field *field, const belfry_value *value) {
    static const uint32_t kinds[] = {0, BELFRY_BOOLEAN, BELFRY_INTEGER, BELFRY_NUMBER, BELFRY_INSTANT, BELFRY_DURATION,
                                     BELFRY_TEXT, BELFRY_LIST, BELFRY_LIST};
    const int may_be_absent = (field->flags & BELFRY_FIELD_OPTIONAL) || field->type == BELFRY_FIELD_INSTANT ||
                              field->type >= BELFRY_FIELD_TEXT;
    if (value->kind == BELFRY_NULL) return may_be_absent;
    const uint32_t item = field->type == BELFRY_FIELD_INSTANTS ? BELFRY_INSTANT : BELFRY_INTEGER;
    return value->kind == kinds[field->type] && (value->count == 0 || value->items[0].kind == item);
}

static void write_list(struct belfry_test *test, unsigned char *place, const belfry_value *value) {
    int64_t *items = belfry_test_allocate(&test->memory, value->count * sizeof(*items));
    for (uint64_t i = 0; i < value->count; i++) items[i] = value->items[i].integer;
    const belfry_integers list = {items, value->count};
    memcpy(place, &list, sizeof(list));
}

static void write_number(const belfry_field *field, unsigned char *place, const belfry_value *value) {
    const int is_never = value->kind == BELFRY_NULL && field->type == BELFRY_FIELD_INSTANT;
    const int64_t whole = is_never ? BELFRY_TEST_NEVER : value->integer;
    if (field->type == BELFRY_FIELD_NUMBER) memcpy(place, &value->number, sizeof(double));
    else memcpy(place, &whole, sizeof(whole));
    if (field->flags & BELFRY_FIELD_OPTIONAL) place[8] = value->kind == BELFRY_NULL;
}

static void write_field(struct belfry_test *test, const belfry_field *field, unsigned char *place,
                        const belfry_value *value) {
    if (field->type == BELFRY_FIELD_BOOLEAN) {
        *place = value->kind == BELFRY_NULL ? 2 : (unsigned char)value->integer;
    } else if (field->type == BELFRY_FIELD_TEXT) {
        const belfry_value copy = belfry_test_copy(test, value);
        memcpy(place, &copy.text, sizeof(copy.text));
    } else if (is_list(field)) {
        write_list(test, place, value);
    } else {
        write_number(field, place, value);
    }
}

unsigned char *belfry_test_loaded(struct belfry_test *test, uint32_t version, const belfry_value *stored) {
    unsigned char *state = belfry_test_new_state(test);
    if (!state) return NULL;
    if (!belfry_test_is_declared(test)) {
        if (belfry_test_load(test, state, version, stored) != BELFRY_OK)
            belfry_test_fail(test, "cannot load what was stored", test->failure ? test->failure : "it does not say",
                             "read every version up to 'state_version' in state_load");
        return state;
    }
    for (uint64_t i = 0; i < test->strategy->field_count; i++) {
        const belfry_field *field = &test->strategy->fields[i];
        const char *name = belfry_test_copy_text(test, field->name.bytes, field->name.length);
        const belfry_value *value = belfry_test_find(stored, name);
        if (value && fits(field, value)) write_field(test, field, state + field->offset, value);
    }
    return state;
}

// MARK: What a test asks for

belfry_value belfry_test_field(struct belfry_test *test, const char *name) {
    const belfry_value stored = belfry_test_stored(test, test->state);
    return belfry_test_member(&stored, name);
}

static void replace_state(struct belfry_test *test, unsigned char *state) {
    if (test->state && !belfry_test_is_declared(test)) test->strategy->state_destroy(test->strategy->type, test->state);
    test->state = state;
}

void belfry_test_save_and_load(struct belfry_test *test) {
    const belfry_value stored = belfry_test_stored(test, test->state);
    replace_state(test, belfry_test_loaded(test, test->strategy->state_version, &stored));
    const belfry_value again = belfry_test_stored(test, test->state);
    if (belfry_test_is_same(&stored, &again)) return;
    belfry_test_fail(test, "does not survive saving and loading",
                     belfry_test_difference(test, &stored, &again),
                     "write every part of the state in state_save, and read it in state_load");
}

void belfry_test_begin(struct belfry_test *test, uint32_t version, const belfry_value *stored, uint64_t count) {
    const belfry_value map = belfry_test_map(NULL, stored, count);
    replace_state(test, belfry_test_loaded(test, version, &map));
}
