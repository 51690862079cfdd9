#include "service_client.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/// A connection over which a byte comes each second: of its head, or, every second one, of its body.
typedef struct {
    connection connection;
    size_t sent;
} dawdler;

static struct {
    dawdler *dawdlers;
    int count, port;
    long opened;
    char head[512], body_head[512];
} all;

static void open_one(dawdler *dawdler);

static void answered(connection *connection) { (void)connection; }

static void gone(connection *connection) { open_one(connection->context); }

static const listener patience = {.answered = answered, .gone = gone};

static void open_one(dawdler *dawdler) {
    open_connection(&dawdler->connection, all.port, &patience, dawdler);
    dawdler->sent = 0;
    all.opened++;
    if ((dawdler - all.dawdlers) % 2 == 0) return;
    send(dawdler->connection.descriptor, all.body_head, strlen(all.body_head), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void send_byte(dawdler *dawdler) {
    bool has_head = (dawdler - all.dawdlers) % 2 != 0;
    const char *byte = has_head ? " " : &all.head[dawdler->sent % strlen(all.head)];
    send(dawdler->connection.descriptor, byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    dawdler->sent++;
}

int be_slow(const options *options) {
    all.count = (int)number_of_option(options, "connections", 2000);
    all.port = (int)number_of_option(options, "port", 0);
    double end = now() + number_of_option(options, "seconds", 10);
    snprintf(all.head, sizeof all.head, "POST /v1/signals HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: 0123456789012345678901234567890123456789");
    snprintf(all.body_head, sizeof all.body_head,
             "POST /v1/signals HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
             "Content-Type: application/cloudevents+json\r\nContent-Length: 1000000\r\n\r\n",
             text_of_option(options, "token"));
    all.dawdlers = calloc((size_t)all.count, sizeof *all.dawdlers);
    begin_waiting(all.count);
    for (int i = 0; i < all.count; i++) open_one(&all.dawdlers[i]);
    printf("all are open\n");
    fflush(stdout);
    // A part of them every 10 ms, so that there is no beat.
    for (int turn = 0; now() < end; turn++) {
        for (int i = turn % 100; i < all.count; i += 100)
            if (all.dawdlers[i].connection.descriptor >= 0) send_byte(&all.dawdlers[i]);
        double next = now() + 0.01;
        while (now() < next) wait_until(next);
    }
    printf("{\"connections\": %d, \"opened\": %ld}\n", all.count, all.opened);
    return 0;
}
