#define _GNU_SOURCE
#include "rules.h"
#include "service_client.h"

#include <stdlib.h>
#include <string.h>

enum { POSTERS = 16, MOST_SIGNALS = 1 << 22, SUBJECTS = 1000 };

/// A stream of decisions. Of an event, what tells its signal is in its first bytes.
typedef struct {
    connection connection;
    char line[512];
    size_t length;
    long events;
    bool is_stopped;
} stream;

static struct {
    connection connection;
    bool is_busy;
    char head[512], body[256];
} posters[POSTERS];

static struct {
    stream *streams;
    int count, port;
    const char *token;
    double *sent;  ///< when each signal was sent, by its number
    long signals, lost;
    double measures_from;
    waits waits;
} all;

// MARK: Streams

static void take_line(stream *stream) {
    const char *cause = memmem(stream->line, stream->length, "\"cause\":\"f-", 11);
    if (!cause) return;
    double sent = all.sent[atol(cause + 11)];
    stream->events++;
    if (sent >= all.measures_from) note(&all.waits, now() - sent);
}

static void take_events(connection *connection, const char *bytes, size_t count) {
    stream *stream = connection->context;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n') {
            take_line(stream);
            stream->length = 0;
        } else if (stream->length + 1 < sizeof stream->line) {
            stream->line[stream->length++] = bytes[i], stream->line[stream->length] = 0;
        }
    }
}

static void ended(connection *connection) {
    stream *stream = connection->context;
    // One that does not read is let go of in the end.
    if (!stream->is_stopped) fail("a stream has ended", "");
}

static void posted(connection *connection) {
    if (connection->status != 200) fail("a signal was not taken", "");
    *(bool *)connection->context = false;
}

static void lost(connection *connection) {
    (void)connection;
    fail("the service is gone", "");
}

static const listener reader = {.body = take_events, .answered = ended, .gone = ended};
static const listener poster = {.answered = posted, .gone = lost};

static void open_streams(int stopped) {
    static char head[512];
    int length = snprintf(head, sizeof head, "GET /v1/decisions/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", all.token);
    for (int i = 0; i < all.count; i++) {
        stream *stream = &all.streams[i];
        open_connection(&stream->connection, all.port, &reader, stream);
        stream->is_stopped = i < stopped;
        ask(&stream->connection, (struct iovec){head, (size_t)length}, (struct iovec){0});
    }
    // Each has its head, and says that it is there.
    for (double end = now() + 1; now() < end;) wait_until(end);
    for (int i = 0; i < stopped; i++) stop_reading(&all.streams[i].connection);
}

// MARK: Signals

static void post_one(int number) {
    int body = snprintf(
        posters[number].body, sizeof posters[number].body,
        "{\"id\":\"f-%ld\",\"type\":\"notification.requested\",\"subject\":\"f%ld\",\"data\":{\"campaign\":\"campaign-0\"}}",
        all.signals, all.signals % SUBJECTS);
    int head = snprintf(
        posters[number].head, sizeof posters[number].head,
        "POST /v1/signals HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nPrefer: return=minimal\r\n"
        "Content-Type: application/cloudevents+json\r\nContent-Length: %d\r\n\r\n",
        all.token, body);
    posters[number].is_busy = true;
    all.sent[all.signals++] = now();
    ask(&posters[number].connection, (struct iovec){posters[number].head, (size_t)head},
        (struct iovec){posters[number].body, (size_t)body});
}

/// Has a poster that waits for nothing send a signal; if all wait, it is sent by the next one that does not.
static bool post_by_any(void) {
    for (int i = 0; i < POSTERS; i++)
        if (!posters[i].is_busy && all.signals < MOST_SIGNALS) return post_one(i), true;
    return false;
}

static bool has_all(void) {
    for (int i = 0; i < all.count; i++)
        if (!all.streams[i].is_stopped && all.streams[i].events < all.signals) return false;
    return true;
}

int follow(const options *options) {
    all.count = (int)number_of_option(options, "streams", 100);
    all.port = (int)number_of_option(options, "port", 0);
    all.token = text_of_option(options, "token");
    double interval = 1 / number_of_option(options, "rate", 200), seconds = number_of_option(options, "seconds", 10);
    all.streams = calloc((size_t)all.count, sizeof *all.streams), all.sent = calloc(MOST_SIGNALS, sizeof *all.sent);
    begin_waiting(all.count + POSTERS);
    open_streams((int)number_of_option(options, "stopped", 0));
    for (int i = 0; i < POSTERS; i++) open_connection(&posters[i].connection, all.port, &poster, &posters[i].is_busy);
    double start = now(), due = start, end = start + seconds;
    all.measures_from = start + 1;
    while (now() < end) {
        while (due <= now() && post_by_any()) due += interval;
        wait_until(due > now() ? due : now() + 0.001);
    }
    for (double last = now() + 30; !has_all() && now() < last;) wait_until(now() + 0.1);
    printf("{\"streams\": %d, \"signals\": %ld, \"all\": %s", all.count, all.signals, has_all() ? "true" : "false");
    print_waits("waits", &all.waits);
    puts("}");
    // The benchmark may keep the streams open for a while to measure the memory of the service.
    if (number_of_option(options, "stays", 0) > 0) {
        fflush(stdout);
        for (double last = now() + number_of_option(options, "stays", 0); now() < last;) wait_until(last);
    }
    return 0;
}
