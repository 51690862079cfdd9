#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A simdjson parser with its buffers; one thread at a time. simdjson's own types stay on the C++ side.
typedef struct simdjson_parser simdjson_parser;

/// A parsed document, as simdjson's tape (its doc/tape.md): borrowed until the parser's next call.
typedef struct simdjson_tape {
    const uint64_t *words;
    const uint8_t *strings;
    /// Nil on success, else why not; a constant.
    const char *error;
} simdjson_tape;

/// NULL if there is no memory. Documents nested deeper than `depth` are errors.
simdjson_parser *simdjson_parser_create(uint64_t depth);
void simdjson_parser_destroy(simdjson_parser *parser);

/// Parses one JSON document of `length` bytes. The bytes are only read during the call.
simdjson_tape simdjson_parse(simdjson_parser *parser, const uint8_t *bytes, uint64_t length);

/// Finds out whose a signal is without parsing all of it; one thread at a time.
typedef struct simdjson_router simdjson_router;

typedef struct simdjson_route {
    /// The text of the last member `subject` of the document, borrowed until the next call; NULL if there is none.
    const uint8_t *subject;
    uint64_t length;
    /// Whether the last member `type` is `clock.advanced`.
    uint32_t is_clock;
} simdjson_route_result;

simdjson_router *simdjson_router_create(void);
void simdjson_router_destroy(simdjson_router *router);

/// Looks at the members of one JSON object of `length` bytes, behind which 64 more can be read.
simdjson_route_result simdjson_route(simdjson_router *router, const uint8_t *bytes, uint64_t length);

#ifdef __cplusplus
}
#endif

#endif
