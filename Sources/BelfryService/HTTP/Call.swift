import BelfryModel
import HTTPTypes
import Hummingbird

/// A request that has found its route, and whose caller may make it.
struct Call: Sendable {
    let request: Request
    /// What stands in the places of the route's path.
    let parameters: [String]
    /// The name of the caller's token; nil where none is needed.
    let caller: String?
    /// The type of the body, without its parameters, in lower case.
    let contentType: String?
    /// Whether the client sends nothing more, and so is not to be kept for what comes later.
    var hasHungUp: @Sendable () -> Bool = { false }
    /// Says to a client that waits for it that its body is wanted.
    var sendContinue: @Sendable () -> Void = {}
    /// Whether the caller may still make it: a token may expire, or be revoked, while a stream is open.
    var isStillAllowed: @Sendable () -> Bool = { true }

    init(request: Request, parameters: [String], caller: String?) {
        (self.request, self.parameters, self.caller) = (request, parameters, caller)
        contentType = request.headers.value(.contentType).map(Self.type).flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func type(_ field: String) -> String {
        // Mostly it is as it should be.
        let isPlain = field.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ";") && !(0x41...0x5A).contains($0) }
        return isPlain
            ? field : (field.split(separator: ";").first ?? "").filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// The parameters of the query, the last one of a name.
    var query: [String: String] {
        Dictionary(queryItems.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    var queryItems: [(name: String, value: String)] { request.uri.query?.queryItems ?? [] }

    /// - Throws: a problem if the query has others, or one more than once: which of its values is meant is not known.
    func query(only names: Set<String>) throws -> [String: String] {
        let query = query
        let given = queryItems.map(\.name)
        if let repeated = query.keys.filter({ name in given.count { $0 == name } > 1 }).min() {
            throw Problem(
                .badRequest, "invalid-parameter", "'\(repeated)' is given more than once", found: repeated,
                expected: "each parameter once", fix: "ask once for each value")
        }
        guard let other = query.keys.filter({ !names.contains($0) }).min() else { return query }
        let nearest = nearestMatch(to: other, among: Array(names)).map { "did you mean '\($0)'?" }
        throw Problem(
            .badRequest, "unknown-parameter", "there is no parameter '\(other)'", found: other,
            expected: names.sorted().joined(separator: ", "), fix: nearest ?? "leave it out")
    }

    /// How many a page is to have at most.
    func limit(_ text: String?, default count: Int) throws -> Int {
        guard let text else { return count }
        guard let limit = Int(text), 1...10_000 ~= limit else {
            throw Problem.wrong("limit", found: text, expected: "a whole number from 1 to 10000")
        }
        return limit
    }

    /// The body, as it comes. It may be read once.
    func openBody() -> RequestBody {
        sendContinue()
        return request.body
    }

    /// The body of a request that is not streamed.
    ///
    /// - Throws: a problem if it is longer; where the head says so, before it has come.
    func body(atMost limit: Int) async throws -> [UInt8] {
        if let length = request.headers.value(.contentLength).flatMap({ Int($0) }), length > limit {
            throw Problem.tooLarge(limit)
        }
        var bytes: [UInt8] = []
        for try await part in openBody() {
            guard bytes.count + part.readableBytes <= limit else { throw Problem.tooLarge(limit) }
            bytes += part.readableBytesView
        }
        return bytes
    }

    /// The body as JSON.
    func json(atMost limit: Int) async throws -> Fields {
        let bytes = try await body(atMost: limit)
        guard let fields = Value(json: bytes[...])?.map else {
            throw Problem(
                .badRequest, "invalid-json", "the body is no JSON object", expected: "a JSON object",
                fix: "correct the body")
        }
        return fields
    }
}

extension Problem {
    static func tooLarge(_ limit: Int) -> Problem {
        Problem(
            .contentTooLarge, "too-large", "the body is too large", expected: "at most \(limit) bytes",
            fix: "send less at once, or stream it as application/x-ndjson"
        ).with(.connection, "close")
    }
}

/// Looks every 10 s whether the token of a stream still allows it.
struct StandingAdmission {
    private static let pause = Swift.Duration.seconds(10)
    private let call: Call
    private var next = ContinuousClock.now + pause

    init(of call: Call) { self.call = call }

    /// - Returns: false once the token has expired, or was revoked.
    mutating func holds() -> Bool {
        if .now < next { return true }
        next = .now + Self.pause
        return call.isStillAllowed()
    }
}
