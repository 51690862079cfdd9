import BelfryModel
import BelfrySignals

/// What a request is known by that is to be done once.
public struct RequestMark: Sendable, Hashable {
    /// Digests, as text: of the key with its caller, and of the body.
    public let key: String
    public let body: String
    /// Whether the answer is its counts alone.
    public let isMinimal: Bool
    /// How many signals it has.
    public let count: Int

    public init(key: String, body: String, isMinimal: Bool, count: Int) {
        (self.key, self.body, self.isMinimal, self.count) = (key, body, isMinimal, count)
    }
}

/// What came of some of the signals of a request: those that became durable with one entry of the journal.
///
/// In the entry it is a line of JSON: `{"key","body","minimal","count","first","results"}`. A result is `[first, count]` of the entry's lines for a
/// signal that was decided, null for a duplicate, and `{"code","message"}` for one that was rejected.
struct RequestPiece: Equatable {
    let mark: RequestMark
    /// Which of the request's signals is the first of these.
    let first: Int
    let results: [SignalPlace]

    var line: [UInt8] { Array(value.json.utf8) + [UInt8(ascii: "\n")] }

    private var value: Value {
        [
            "key": .text(mark.key), "body": .text(mark.body), "minimal": .bool(mark.isMinimal),
            "count": .integer(Int64(mark.count)), "first": .integer(Int64(first)),
            "results": .list(results.map(\.value)),
        ]
    }

    /// Those that an entry has.
    static func all(in bytes: [UInt8]) -> [RequestPiece] {
        bytes.split(separator: UInt8(ascii: "\n")).compactMap { Value(json: $0)?.map.flatMap(RequestPiece.init) }
    }
}

extension RequestPiece {
    fileprivate init?(_ fields: Fields) {
        guard let key = fields["key"]?.text, let body = fields["body"]?.text, let count = fields["count"]?.integer,
            let first = fields["first"]?.integer, let results = fields["results"]?.list
        else { return nil }
        mark = RequestMark(key: key, body: body, isMinimal: fields["minimal"] == true, count: Int(count))
        (self.first, self.results) = (Int(first), results.compactMap(SignalPlace.init))
    }
}

/// What became of a signal, and which of the lines of the decisions of its batch are its own.
enum SignalPlace: Equatable {
    case decided(Range<Int>)
    case duplicate
    case rejected(SignalReject)
}

extension SignalPlace {
    fileprivate var value: Value {
        switch self {
        case .decided(let lines): [.integer(Int64(lines.lowerBound)), .integer(Int64(lines.count))]
        case .duplicate: .null
        case .rejected(let reject): ["code": .text(reject.code.rawValue), "message": .text(reject.message)]
        }
    }

    fileprivate init?(_ value: Value) {
        if let pair = value.list, pair.count == 2, let first = pair[0].integer, let count = pair[1].integer {
            self = .decided(Int(first)..<Int(first + count))
        } else if let fields = value.map, let code = fields["code"]?.text.flatMap(SignalReject.Code.init) {
            self = .rejected(SignalReject(code, fields["message"]?.text ?? ""))
        } else if value == .null {
            self = .duplicate
        } else {
            return nil
        }
    }
}
