#include "CSimdJSON.h"

#include <simdjson.h>

struct simdjson_parser {
    simdjson::dom::parser parser;
};

simdjson_parser *simdjson_parser_create(uint64_t depth) {
    auto *parser = new (std::nothrow) simdjson_parser;
    // The capacity grows as needed, the depth stays.
    if (parser && parser->parser.allocate(4096, depth)) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void simdjson_parser_destroy(simdjson_parser *parser) { delete parser; }

simdjson_tape simdjson_parse(simdjson_parser *parser, const uint8_t *bytes, uint64_t length) {
    // The bytes are copied into a padded buffer of the parser's own: the caller's need no padding.
    auto error = parser->parser.parse(bytes, length, true).error();
    if (error) return {nullptr, nullptr, simdjson::error_message(error)};
    return {parser->parser.doc.tape.get(), parser->parser.doc.string_buf.get(), nullptr};
}
