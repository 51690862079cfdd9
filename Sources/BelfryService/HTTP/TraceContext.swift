import HTTPTypes
import Logging

/// Which trace a request belongs to, as its caller says in `traceparent` (W3C Trace Context).
struct TraceContext: Equatable {
    let trace: String
    /// The span of the caller.
    let span: String

    /// Nil if it is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, count: $1) }),
            parts[0] != "ff", parts[0] != "00" || parts.count == 4, parts[1].contains(where: { $0 != "0" }),
            parts[2].contains(where: { $0 != "0" })
        else { return nil }
        (trace, span) = (parts[1], parts[2])
    }

    private static func isHexadecimal(_ text: String, count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    static let field = HTTPField.Name("traceparent")!

    var metadata: Logger.Metadata { ["trace_id": "\(trace)", "span_id": "\(span)"] }
}
