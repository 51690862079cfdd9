/// Gives decisions to a sink.
#include "internal.h"

#include <stdarg.h>

struct belfry_test belfry_test_sink_type(const char *name, const belfry_value *parameters, uint64_t count) {
    const belfry_sink_types *offered = belfry_test_table(BELFRY_EXTENSION_SINK, name);
    struct belfry_test test = {.name = name, .until = BELFRY_TEST_NEVER};
    for (uint64_t i = 0; i < offered->count; i++)
        if (belfry_test_is_text(offered->items[i]->name, name)) test.sink = offered->items[i];
    belfry_test_require(test.sink != NULL, "the plugin has no sink", name);
    test.instance = belfry_test_create(&test, parameters, count);
    return test;
}

// MARK: The line of a decision

/// JSON that is being written; what does not fit is cut off.
struct line {
    char *bytes;
    size_t length, room;
};

static void add(struct line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(line->bytes + line->length, line->room - line->length, format, arguments);
    va_end(arguments);
    if (count > 0 && (size_t)count < line->room - line->length) line->length += (size_t)count;
}

static void add_text(struct line *line, belfry_text text) {
    add(line, "\"");
    for (uint64_t i = 0; i < text.length; i++) {
        const unsigned char byte = (unsigned char)text.bytes[i];
        if (byte == '"' || byte == '\\') add(line, "\\%c", byte);
        else if (byte < 0x20) add(line, "\\u%04x", byte);
        else add(line, "%c", byte);
    }
    add(line, "\"");
}

static void add_value(struct line *line, const belfry_value *value) {
    switch (value->kind) {
    case BELFRY_BOOLEAN: add(line, value->integer ? "true" : "false"); return;
    case BELFRY_INTEGER: add(line, "%lld", (long long)value->integer); return;
    case BELFRY_NUMBER: add(line, "%.17g", value->number); return;
    case BELFRY_TEXT: add_text(line, value->text); return;
    case BELFRY_LIST:
    case BELFRY_MAP: break;
    default: add(line, "null"); return;
    }
    add(line, value->kind == BELFRY_MAP ? "{" : "[");
    for (uint64_t i = 0; i < value->count; i++) {
        if (i > 0) add(line, ",");
        if (value->kind == BELFRY_MAP) add_text(line, value->items[i].key);
        if (value->kind == BELFRY_MAP) add(line, ":");
        add_value(line, &value->items[i]);
    }
    add(line, value->kind == BELFRY_MAP ? "}" : "]");
}

// MARK: Delivering

belfry_delivered belfry_test_deliver(struct belfry_test *test, const char *type, const char *subject,
                                     const belfry_value *data, uint64_t count) {
    const char *id = belfry_test_format(test, "%s:%d", subject, ++test->created);
    const belfry_value members[] = {
        belfry_test_string("specversion", "1.0"), belfry_test_string("id", id), belfry_test_string("source", "test"),
        belfry_test_string("type", type),         belfry_test_string("subject", subject),
        belfry_test_string("time", belfry_test_time(test, test->now)), belfry_test_map("data", data, count)};
    const belfry_value decision = belfry_test_map(NULL, members, sizeof(members) / sizeof(*members));
    struct line line = {.room = 64 << 10};
    line.bytes = belfry_test_allocate(&test->memory, line.room);
    add_value(&line, &decision);
    const belfry_delivery delivery = {
        .id = belfry_test_text(id), .subject = belfry_test_text(subject), .type = belfry_test_text(type),
        .line = {line.bytes, line.length}, .decision = &decision, .now = test->now, .timeout = 30000};
    const belfry_sink why = belfry_test_sink(test);
    const belfry_delivered delivered = test->sink->deliver(test->instance, &delivery, &why);
    if (delivered != BELFRY_DELIVERED && !test->failure)
        belfry_test_fail(test, "does not say why it does not take a decision", "its 'deliver' wrote nothing to 'why'",
                         "write one sentence for whoever looks after the sink");
    return delivered;
}
