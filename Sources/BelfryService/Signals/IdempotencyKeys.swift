import BelfryModel
import DequeModule
import HTTPTypes
import Hummingbird
import Synchronization

/// Answers to whole requests that had an `Idempotency-Key`, for those who send them again
/// (draft-ietf-httpapi-idempotency-key-header). Each token has keys of its own.
///
/// The latest are in memory. The others are in the journal with their signals (`RequestLog`), where they survive the service.
final class IdempotencyKeys: Sendable {
    struct Key: Hashable, Sendable {
        let caller: String
        let text: String

        /// As the journal knows it.
        var digest: String { SHA256Digest(of: Array(caller.utf8) + [0] + Array(text.utf8)).description }
    }

    /// An answer that is kept.
    struct Kept: Sendable {
        let digest: String
        let reply: Reply
        let until: ContinuousClock.Instant

        var response: Response {
            var response = Response(reply)
            response.headers[.idempotencyReplayed] = "true"
            return response
        }
    }

    fileprivate enum State {
        case underWay
        case kept(Kept)
    }

    fileprivate struct All {
        var states: [Key: State] = [:]
        /// Kept ones, the oldest first. What was kept for a key before is in it, too.
        var order: Deque<(key: Key, kept: Kept)> = []
        var bytes = 0
    }

    private let all = Mutex(All())
    private static let time = Swift.Duration.seconds(24 * 3600)
    /// What the journal has from before that is as if it had not been.
    static var beginning: Instant { .wallClock - BelfryModel.Duration(milliseconds: 24 * 3_600_000) }
    private let most: Int

    /// - Parameter most: so many bytes of answers are kept at most.
    init(most: Int = 64 << 20) { self.most = most }

    /// Takes a key, as soon as the head of its request has come.
    ///
    /// - Returns: the answer that is kept for it, if there is one; nil: it is under way from here on.
    /// - Throws: a problem if it is under way.
    func begin(_ key: Key, at now: ContinuousClock.Instant = .now) throws -> Kept? {
        try all.withLock { all in
            switch all.states[key] {
            case .underWay?: throw Self.underWay(key.text)
            case .kept(let kept)? where kept.until > now: return kept
            default:
                all.states[key] = .underWay
                return nil
            }
        }
    }

    /// The request is over.
    ///
    /// - Parameter kept: nil: it was not done, and may be sent again.
    func end(_ key: Key, _ kept: Kept?, at now: ContinuousClock.Instant = .now) {
        all.withLock { all in
            guard let kept else { return all.states[key] = nil }
            all.states[key] = .kept(kept)
            all.order.append((key, kept))
            all.bytes += kept.reply.bytes.count
            while let oldest = all.order.first, all.bytes > most || oldest.kept.until <= now { all.drop() }
        }
    }

    /// Lets go of all that is kept: an erased subject may be in it.
    func forget() {
        all.withLock { all in
            for (key, _) in all.order { if case .kept? = all.states[key] { all.states[key] = nil } }
            (all.order, all.bytes) = ([], 0)
        }
    }

    static func kept(_ reply: Reply, digest: String, at now: ContinuousClock.Instant = .now) -> Kept {
        Kept(digest: digest, reply: reply, until: now + time)
    }

    /// - Throws: a problem if a text is no key.
    static func key(_ text: String, of caller: String) throws -> Key {
        guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                .badRequest, "invalid-idempotency-key", "'Idempotency-Key' is wrong", found: text,
                expected: "1 to 255 visible characters of ASCII", fix: "use a UUID, for example")
        }
        return Key(caller: caller, text: text)
    }

    /// Of all that tells a request from another: its body, and what is in headers.
    static func digest(of bytes: [UInt8], _ head: HTTPRequest, type: String?) -> String {
        let attributes = head.headerFields.filter { $0.name.canonicalName.hasPrefix("ce-") }
            .map { "\($0.name.canonicalName): \($0.value)\n" }.sorted().joined()
        return SHA256Digest(of: Array("\(type ?? "")\n\(attributes)\n".utf8) + bytes).description
    }

    static func underWay(_ key: String) -> Problem {
        Problem(
            .conflict, "idempotency-key-under-way", "a request with this Idempotency-Key is under way", found: key,
            fix: "wait for its answer, or send it again later"
        ).with(.retryAfter, "1")
    }

    static func otherBody(_ key: String) -> Problem {
        Problem(
            .unprocessableContent, "idempotency-key-reused", "this Idempotency-Key came with another body", found: key,
            fix: "use another key for another request")
    }
}

extension IdempotencyKeys.All {
    fileprivate mutating func drop() {
        let (key, former) = order.removeFirst()
        bytes -= former.reply.bytes.count
        if case .kept(let kept)? = states[key], kept.until == former.until { states[key] = nil }
    }
}
