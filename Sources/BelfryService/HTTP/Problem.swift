import BelfryCore
import BelfryJournal
import BelfryModel
import BelfryStore
import HTTPTypes

/// Why a request was not done, as RFC 9457 has it.
struct Problem: Error {
    var status: HTTPResponse.Status
    /// For machines.
    var code: String
    /// What happened, in a few words.
    var title: String
    var found: String?
    var expected: String?
    var fix: String?
    /// Where in the body of the request.
    var pointer: String?
    var headers = HTTPFields()
    /// All that is wrong, where that is more than one thing.
    var errors: [Value] = []

    init(
        _ status: HTTPResponse.Status, _ code: String, _ title: String, found: String? = nil, expected: String? = nil,
        fix: String? = nil, pointer: String? = nil
    ) {
        (self.status, self.code, self.title) = (status, code, title)
        (self.found, self.expected, self.fix, self.pointer) = (found, expected, fix, pointer)
    }

    func with(_ name: HTTPField.Name, _ value: String) -> Problem {
        var problem = self
        problem.headers[name] = value
        return problem
    }

    var value: Value {
        var fields = Fields([
            ("type", .text("about:blank")), ("title", .text(title)), ("status", .integer(Int64(status.code))),
            ("code", .text(code)),
        ])
        for (name, text) in [("found", found), ("expected", expected), ("fix", fix), ("pointer", pointer)] {
            fields[name] = text.map { .text($0) }
        }
        if !errors.isEmpty { fields["errors"] = .list(errors) }
        return .map(fields)
    }

    /// In the shape that the protocol of that path has for errors.
    func reply(at path: String) -> Reply {
        var reply =
            if path.hasPrefix("/api/v2") {
                Reply(json: .text([title, found, fix].compactMap(\.self).joined(separator: ": ")), status: status)
            } else if path.hasPrefix("/ofrep") {
                Reply(
                    json: flagFailure(
                        key: path.split(separator: "/").dropFirst(4).first.map {
                            $0.removingURLPercentEncoding() ?? String($0)
                        }),
                    status: status)
            } else {
                Reply(json: value, status: status, type: "application/problem+json")
            }
        for field in headers { reply.headers[field.name] = field.value }
        return reply
    }
}

extension Problem: CustomStringConvertible {
    /// For people at a command line.
    var description: String {
        let parts = [found.map { "  why: \($0)" }, (fix ?? expected).map { "  fix: \($0)" }]
        return ([title] + parts.compactMap(\.self)).joined(separator: "\n")
    }
}

extension Problem {
    /// The limit that the caller has come to; nil if it was something else.
    var limit: String? {
        switch code {
        case "queue-full": "queue"
        case "too-many-streams": "streams"
        case "too-many-connections": "connections"
        case "too-large": "body"
        case "rate", "slow-head", "slow-body": code
        case "head-too-large": "header"
        default: nil
        }
    }

    static let full = Problem(
        .serviceUnavailable, "queue-full", "too many signals wait to be decided",
        expected: "less than 'serve: { limits: { queue } }' allows",
        fix: "send it again after the time in Retry-After"
    ).with(.retryAfter, "1")

    static let tooManyConnections = Problem(
        .serviceUnavailable, "too-many-connections", "too many connections wait for an answer",
        expected: "at most what 'serve: { limits: { connections } }' allows", fix: "send it again later"
    ).with(.retryAfter, "5")

    static let draining = Problem(
        .serviceUnavailable, "draining", "the service is ending", fix: "send it to another one, or again later"
    ).with(.retryAfter, "5").with(.connection, "close")

    static let malformed = Problem(
        .badRequest, "malformed-body", "the body of the request is not as HTTP/1.1 has it",
        expected: "as many bytes as Content-Length says, or chunks, each behind its length in hexadecimal",
        fix: "correct the client"
    ).with(.connection, "close")

    static let failing = Problem(
        .serviceUnavailable, "failing", "nothing can be made durable now",
        fix: "send it again after the time in Retry-After; /readyz?verbose says what is wrong"
    ).with(.retryAfter, "1")

    /// Nil for an error that is not about a store that is out of reach for now.
    init?(ofStore error: any Error) {
        switch error {
        // It is about to be opened again: it was closed while it was used, or another process has its lease.
        case let error as StoreError where [.unreachable, .held, .closed, .locked].contains(error.code): break
        case let error as JournalError where [.unreachable, .held, .fenced].contains(error.code): break
        default: return nil
        }
        self = .failing
        (title, found) = ("the store cannot be used now", "\(error)")
    }

    /// The service goes on without the record: it stays as it is.
    init(of failure: RecordFailure) {
        self.init(
            .internalServerError, "record-unreadable", "the record of subject '\(failure.subject)' cannot be read",
            found: failure.damage.reason, fix: failure.fix)
    }

    static func wrong(_ name: String, found: String, expected: String) -> Problem {
        Problem(
            .badRequest, "invalid-parameter", "'\(name)' is wrong", found: "\(name)=\(found)", expected: expected,
            fix: "correct '\(name)'")
    }
}
