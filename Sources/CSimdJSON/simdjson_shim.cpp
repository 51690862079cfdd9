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

struct simdjson_router {
    simdjson::ondemand::parser parser;
};

simdjson_router *simdjson_router_create(void) { return new (std::nothrow) simdjson_router; }

void simdjson_router_destroy(simdjson_router *router) { delete router; }

simdjson_route_result simdjson_route(simdjson_router *router, const uint8_t *bytes, uint64_t length) {
    simdjson_route_result route = {nullptr, 0, 0};
    simdjson::ondemand::document document;
    simdjson::padded_string_view view(bytes, length, length + simdjson::SIMDJSON_PADDING);
    if (router->parser.iterate(view).get(document)) return route;
    simdjson::ondemand::object object;
    if (document.get_object().get(object)) return route;
    for (auto field : object) {
        // As the parser takes it, escapes and all: of two members of one name the last one counts.
        std::string_view key;
        if (field.unescaped_key().get(key)) return route;
        bool is_subject = key == "subject";
        bool is_type = key == "type";
        if (!is_subject && !is_type) continue;
        std::string_view text;
        if (field.value().get_string().get(text)) continue;
        if (is_type) {
            route.is_clock = text == "clock.advanced";
        } else {
            route.subject = reinterpret_cast<const uint8_t *>(text.data());
            route.length = text.size();
        }
    }
    return route;
}
