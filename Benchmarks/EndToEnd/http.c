#define _GNU_SOURCE
#include "http.h"

#include "rules.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int poller = -1;

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void begin_waiting(int connections) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < (rlim_t)connections + 64) limit.rlim_cur = (rlim_t)connections + 64;
    if (setrlimit(RLIMIT_NOFILE, &limit)) fail("cannot have so many descriptors", strerror(errno));
    poller = epoll_create1(EPOLL_CLOEXEC);
}

// MARK: Connections

static void watch(connection *connection, int operation) {
    uint32_t events = connection->has_stopped_reading ? 0 : EPOLLIN;
    if (connection->is_waiting_to_write) events |= EPOLLOUT;
    struct epoll_event event = {.events = events, .data.ptr = connection};
    epoll_ctl(poller, operation, connection->descriptor, &event);
}

void open_connection(connection *connection, int port, const listener *listener, void *context) {
    memset(connection, 0, sizeof *connection);
    connection->listener = listener, connection->context = context;
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("cannot connect", strerror(errno));
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    connection->descriptor = descriptor;
    watch(connection, EPOLL_CTL_ADD);
}

void close_connection(connection *connection) {
    if (connection->descriptor >= 0) close(connection->descriptor);
    connection->descriptor = -1;
}

static void lose(connection *connection) {
    close_connection(connection);
    connection->listener->gone(connection);
}

void stop_reading(connection *connection) {
    connection->has_stopped_reading = true;
    watch(connection, EPOLL_CTL_MOD);
}

// MARK: What leaves

static void send_pieces(connection *connection) {
    struct iovec *pieces = connection->pieces;
    while (pieces[0].iov_len + pieces[1].iov_len > 0) {
        ssize_t sent = writev(connection->descriptor, pieces, 2);
        if (sent < 0 && errno == EAGAIN) break;
        // What the other end has said before it went is read all the same.
        if (sent < 0) {
            pieces[0].iov_len = pieces[1].iov_len = 0;
            break;
        }
        for (int i = 0; i < 2; i++) {
            size_t part = (size_t)sent < pieces[i].iov_len ? (size_t)sent : pieces[i].iov_len;
            pieces[i].iov_base = (char *)pieces[i].iov_base + part, pieces[i].iov_len -= part;
            sent -= (ssize_t)part;
        }
    }
    bool is_waiting = pieces[0].iov_len + pieces[1].iov_len > 0;
    if (is_waiting == connection->is_waiting_to_write) return;
    connection->is_waiting_to_write = is_waiting;
    watch(connection, EPOLL_CTL_MOD);
}

void ask(connection *connection, struct iovec head, struct iovec body) {
    connection->pieces[0] = head, connection->pieces[1] = body;
    connection->phase = STATUS_LINE, connection->line_length = 0;
    send_pieces(connection);
}

// MARK: What comes

static void finish(connection *connection) {
    connection->phase = STATUS_LINE;
    connection->listener->answered(connection);
}

static void take_field(connection *connection, const char *line) {
    if (!strncasecmp(line, "content-length:", 15)) connection->left = strtoull(line + 15, NULL, 10);
    if (!strncasecmp(line, "transfer-encoding: chunked", 26)) connection->is_chunked = true;
    if (!strncasecmp(line, "connection: close", 17)) connection->closes = true;
}

static void take_line(connection *connection) {
    const char *line = connection->line;
    bool is_empty = *line == 0;
    switch (connection->phase) {
    case STATUS_LINE:
        connection->status = atoi(line + strcspn(line, " "));
        connection->left = 0, connection->is_chunked = connection->closes = false;
        connection->phase = HEADER;
        break;
    case HEADER:
        if (!is_empty) return take_field(connection, line);
        if (connection->is_chunked) {
            connection->phase = CHUNK_SIZE;
        } else if (connection->left > 0) {
            connection->phase = BODY;
        } else {
            finish(connection);
        }
        break;
    case CHUNK_SIZE:
        connection->left = strtoull(line, NULL, 16);
        connection->phase = connection->left > 0 ? CHUNK : TRAILER;
        break;
    case CHUNK_END: connection->phase = CHUNK_SIZE; break;
    case TRAILER:
        if (is_empty) finish(connection);
        break;
    default: break;
    }
}

/// Takes what there is of a line. Longer ones than there is room for are cut.
static size_t take_part_of_line(connection *connection, const char *bytes, size_t count) {
    const char *end = memchr(bytes, '\n', count);
    size_t taken = end ? (size_t)(end - bytes) + 1 : count;
    for (size_t i = 0; i < taken; i++)
        if (bytes[i] != '\r' && bytes[i] != '\n' && connection->line_length + 1 < sizeof connection->line)
            connection->line[connection->line_length++] = bytes[i];
    if (end) {
        connection->line[connection->line_length] = 0, connection->line_length = 0;
        take_line(connection);
    }
    return taken;
}

static size_t take_part_of_body(connection *connection, const char *bytes, size_t count) {
    size_t part = count < connection->left ? count : connection->left;
    if (connection->listener->body) connection->listener->body(connection, bytes, part);
    connection->left -= part;
    if (connection->left == 0) {
        if (connection->phase == CHUNK) connection->phase = CHUNK_END;
        else finish(connection);
    }
    return part;
}

static void receive(connection *connection) {
    static char bytes[1 << 18];
    ssize_t count = recv(connection->descriptor, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return lose(connection);
    for (size_t taken = 0; taken < (size_t)count && connection->descriptor >= 0;) {
        bool is_body = connection->phase == BODY || connection->phase == CHUNK;
        taken += (is_body ? take_part_of_body : take_part_of_line)(connection, bytes + taken, (size_t)count - taken);
    }
}

void wait_until(double time) {
    struct epoll_event events[256];
    double left = time - now();
    struct timespec patience = {.tv_sec = left > 0 ? (time_t)left : 0};
    patience.tv_nsec = left > 0 ? (long)((left - (double)patience.tv_sec) * 1e9) : 0;
    int count = epoll_pwait2(poller, events, 256, &patience, NULL);
    for (int i = 0; i < count; i++) {
        connection *connection = events[i].data.ptr;
        if (connection->descriptor >= 0 && events[i].events & EPOLLOUT) send_pieces(connection);
        if (connection->descriptor >= 0 && events[i].events & ~(uint32_t)EPOLLOUT) receive(connection);
    }
}
