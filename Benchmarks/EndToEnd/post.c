#define _GNU_SOURCE
#include "rules.h"
#include "service_client.h"

#include <stdlib.h>
#include <string.h>

/// One connection, with the lines that are sent by it.
typedef struct {
    connection connection;
    char *lines;
    size_t size, room, next;  ///< `next` is where the request begins that is sent next
    size_t body;              ///< of the one that is under way
    long signals;             ///< in it
    bool is_busy, is_done;
    double due, began;
    char head[512];
} caller;

static struct {
    caller *callers;
    int count, port;
    long each;  ///< signals in a request
    bool spreads;  ///< whether lines of one subject go over any connection
    long lines;
    double interval, measures_from;
    const char *path, *token;
    waits answered, refused;
    long signals, others, lost, sent;
    double last;
} all;

// MARK: Lines

static void give_line(text line, void *context) {
    (void)context;
    signal signal = read_signal(line);
    uint64_t number = all.spreads ? (uint64_t)(all.lines++ / all.each) : text_hash(signal.subject);
    caller *caller = &all.callers[number % (uint64_t)all.count];
    if (caller->size + line.length + 1 > caller->room) {
        caller->room = 2 * caller->room + line.length + (1 << 16);
        caller->lines = realloc(caller->lines, caller->room);
    }
    memcpy(caller->lines + caller->size, line.at, line.length);
    caller->lines[caller->size + line.length] = '\n';
    caller->size += line.length + 1;
}

/// Finds the lines of the next request.
static void find_body(caller *caller) {
    size_t end = caller->next;
    caller->signals = 0;
    while (caller->signals < all.each && end < caller->size) {
        end = (size_t)((char *)memchr(caller->lines + end, '\n', caller->size - end) - caller->lines) + 1;
        caller->signals++;
    }
    caller->body = end - caller->next;
}

// MARK: Requests

static void send_next(caller *caller, double time) {
    find_body(caller);
    if (caller->signals == 0) {
        caller->is_done = true;
        return;
    }
    int length = snprintf(
        caller->head, sizeof caller->head,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Type: application/%s\r\nContent-Length: %zu\r\n\r\n",
        all.path, all.token, all.each > 1 ? "x-ndjson" : "cloudevents+json", caller->body);
    caller->is_busy = true, caller->began = all.interval > 0 ? caller->due : time;
    caller->due += all.interval;
    all.sent++;
    ask(&caller->connection, (struct iovec){caller->head, (size_t)length},
        (struct iovec){caller->lines + caller->next, caller->body});
}

static void answered(connection *connection) {
    caller *caller = connection->context;
    double time = now();
    bool counts = caller->began >= all.measures_from;
    caller->is_busy = false;
    if (connection->status == 200) {
        caller->next += caller->body;
        if (counts) note(&all.answered, time - caller->began), all.signals += caller->signals, all.last = time;
    } else if (connection->status == 429 || connection->status == 503) {
        // The same lines come again.
        if (counts) note(&all.refused, time - caller->began);
    } else {
        fprintf(stderr, "an answer is %d\n", connection->status);
        all.others++;
        caller->next += caller->body;
    }
    if (connection->closes) {
        close_connection(connection);
        open_connection(connection, all.port, connection->listener, caller);
    }
}

static void gone(connection *connection) {
    caller *caller = connection->context;
    if (caller->is_busy) all.lost++;
    caller->is_busy = false;
    open_connection(connection, all.port, connection->listener, caller);
}

static const listener poster = {.answered = answered, .gone = gone};

/// Sends what is due.
///
/// Returns when more is due, or `until`.
static double send_due(double until) {
    double time = now(), next = until;
    for (int i = 0; i < all.count; i++) {
        caller *caller = &all.callers[i];
        if (caller->is_busy || caller->is_done || time >= until) continue;
        if (caller->due <= time) send_next(caller, time);
        else if (caller->due < next) next = caller->due;
    }
    return next;
}

static bool is_busy(void) {
    for (int i = 0; i < all.count; i++)
        if (all.callers[i].is_busy) return true;
    return false;
}

static bool is_done(void) {
    for (int i = 0; i < all.count; i++)
        if (!all.callers[i].is_done) return false;
    return true;
}

int post(const options *options) {
    all.count = (int)number_of_option(options, "connections", 1);
    all.each = (long)number_of_option(options, "signals", 1);
    all.spreads = number_of_option(options, "spread", 0) > 0;
    all.port = (int)number_of_option(options, "port", 0);
    all.path = text_of_option(options, "path"), all.token = text_of_option(options, "token");
    double rate = number_of_option(options, "rate", 0), seconds = number_of_option(options, "seconds", 0);
    if (rate > 0) all.interval = all.count / rate;
    all.callers = calloc((size_t)all.count, sizeof *all.callers);
    for_each_line(text_of_option(options, "file"), (long)number_of_option(options, "limit", 1e18), give_line, NULL);
    begin_waiting(all.count);
    double start = now(), end = seconds > 0 ? start + seconds : start + 3600;
    for (int i = 0; i < all.count; i++) {
        open_connection(&all.callers[i].connection, all.port, &poster, &all.callers[i]);
        all.callers[i].due = start + all.interval * i / all.count;
    }
    all.measures_from = all.last = start + number_of_option(options, "warmup", 0);
    while (now() < end && !is_done()) wait_until(send_due(end));
    double over = now();
    while (is_busy() && now() < over + 30) wait_until(over + 30);
    double took = (seconds > 0 ? over : all.last) - all.measures_from;
    printf("{\"seconds\": %.6f, \"signals\": %ld, \"sent\": %ld, \"others\": %ld, \"lost\": %ld, \"done\": %s", took, all.signals,
           all.sent, all.others, all.lost, is_done() ? "true" : "false");
    print_waits("answered", &all.answered), print_waits("refused", &all.refused);
    puts("}");
    return 0;
}
