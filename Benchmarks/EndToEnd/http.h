/// HTTP/1.1 over many connections of the loopback device, by one thread that waits for none of them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef struct connection connection;

/// The callbacks of a connection.
typedef struct {
    /// A piece of an answer's body; null: the body is dropped.
    void (*body)(connection *connection, const char *bytes, size_t count);
    /// An answer is whole.
    void (*answered)(connection *connection);
    /// The other end is gone, or was never there. It is asked nothing more until it is opened again.
    void (*gone)(connection *connection);
} listener;

typedef enum { STATUS_LINE, HEADER, BODY, CHUNK_SIZE, CHUNK, CHUNK_END, TRAILER } phase;

struct connection {
    int descriptor;  ///< -1: closed
    const listener *listener;
    void *context;  ///< of the caller

    // What leaves.
    struct iovec pieces[2];  ///< head and body, as far as they have not left
    bool is_waiting_to_write;
    bool has_stopped_reading;

    // What comes.
    phase phase;
    char line[1024];
    size_t line_length;
    int status;
    size_t left;  ///< of the body, or of a chunk
    bool is_chunked, closes;
};

/// Seconds of a clock that only goes on.
double now(void);

/// Prepares for so many connections.
void begin_waiting(int connections);

/// Connects to a port of this machine.
void open_connection(connection *connection, int port, const listener *listener, void *context);
void close_connection(connection *connection);

/// Sends a request; head and body are read until all has left. The answer to the one before has come.
void ask(connection *connection, struct iovec head, struct iovec body);

/// From here on the connection's answers stay where they are.
void stop_reading(connection *connection);

/// Lets go on what can, at most until then.
void wait_until(double time);
