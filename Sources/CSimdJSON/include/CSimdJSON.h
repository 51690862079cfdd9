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

#ifdef __cplusplus
}
#endif

#endif
