import BelfryModel
import BelfryRuntime
import HTTPTypes
import Hummingbird

/// The signals of a bounded body, in the forms of CloudEvents' HTTP binding.
///
/// A body has to be JSON by its grammar; whether an event in it can be taken is found out where it is decoded, as that of a line is.
enum SignalBody {
    /// One event as JSON.
    static func structured(_ bytes: [UInt8]) throws -> SignalBlock {
        guard JSONOutline(of: bytes) != nil else { throw notJSON }
        return block(bytes, [0..<bytes.count])
    }

    /// A list of events as JSON.
    static func batch(_ bytes: [UInt8]) throws -> SignalBlock {
        guard let outline = JSONOutline(of: bytes) else { throw notJSON }
        guard let items = outline.items else {
            throw Problem(
                .badRequest, "invalid-json", "the body is no list", expected: "a JSON array of events",
                fix: "put '[' and ']' around it, or send one as application/cloudevents+json", pointer: "")
        }
        return block(bytes, items)
    }

    /// One event with its attributes in headers.
    static func binary(_ head: HTTPRequest, _ bytes: [UInt8], type: String?) throws -> SignalBlock {
        var writer = JSONWriter()
        writer.beginObject()
        for field in head.headerFields {
            let name = field.name.canonicalName
            guard name.hasPrefix("ce-") else { continue }
            // CloudEvents HTTP binding, section 3.1.3.2: percent-encoded, and then perhaps quoted.
            let value = field.value.unquoted
            writer.member(String(name.dropFirst(3)), value.removingURLPercentEncoding() ?? value)
        }
        if bytes.contains(where: { !" \t\r\n".utf8.contains($0) }) {
            guard JSONOutline(of: bytes) != nil else {
                guard type == nil || type?.hasSuffix("json") == true else {
                    throw unsupported(type, expected: "application/json as the type of the data")
                }
                throw notJSON
            }
            writer.key("data")
            writer.append(bytes)
        }
        writer.endObject()
        let line = writer.takeBytes()
        return block(line, [0..<line.count])
    }

    static func unsupported(_ type: String?, expected: String = forms) -> Problem {
        Problem(
            .unsupportedMediaType, "unsupported-media-type", "signals do not come as that",
            found: type ?? "no Content-Type", expected: expected,
            fix: type == "application/json"
                ? "name application/cloudevents+json; application/json is the data of a signal that has ce- headers"
                : "name one of them as Content-Type")
    }

    private static let forms =
        "application/cloudevents+json, application/cloudevents-batch+json, application/x-ndjson, or ce- headers"

    static let notJSON = Problem(
        .badRequest, "invalid-json", "the body is not JSON", expected: "JSON in UTF-8",
        fix: "correct the body, or name the Content-Type that it has", pointer: "")

    static let notGzip = Problem(
        .badRequest, "invalid-gzip", "the body is not gzip", expected: "what Content-Encoding says",
        fix: "pack it, or leave Content-Encoding out")

    static let withoutLines = Problem(
        .contentTooLarge, "too-large", "too much of the packed body has no signal in it",
        expected: "a line that is not blank in every \(StreamedLines.limitWithoutLine) bytes",
        fix: "leave out blank lines, and put each signal on a line of its own"
    ).with(.connection, "close")

    /// Signals are lines. In JSON, the end of a line can only stand between its parts.
    private static func block(_ bytes: [UInt8], _ ranges: [Range<Int>]) -> SignalBlock {
        let flat = bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        let lines = ranges.enumerated().map { SignalBlock.Line($1, number: $0 + 1) }
        return flat.withUnsafeBytes { SignalBlock($0, lines: lines) }
    }
}

extension String {
    /// The text of a quoted string (RFC 9110, section 5.6.4); any other text as it is.
    fileprivate var unquoted: String {
        guard utf8.count > 1, utf8.first == UInt8(ascii: "\""), utf8.last == UInt8(ascii: "\"") else { return self }
        var (text, isEscaped): ([UInt8], Bool) = ([], false)
        for byte in utf8.dropFirst().dropLast() {
            if !isEscaped, byte == UInt8(ascii: "\"") { return self }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { text.append(byte) }
        }
        return isEscaped ? self : String(decoding: text, as: UTF8.self)
    }
}
