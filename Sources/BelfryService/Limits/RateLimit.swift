import HTTPTypes
import Synchronization

/// How often each token may call: so many requests a second, and as many at once.
///
/// The generic cell rate algorithm (ITU-T I.371): for each token there is nothing but the instant at which its next request is due.
final class RateLimit: Sendable {
    /// Requests per second.
    private let rate: Int
    private let tokens = Mutex(Tokens())

    private struct Tokens {
        var due: [String: ContinuousClock.Instant] = [:]
        /// With so many, the ones that are due are let go: they say as much as none.
        var bound = 10_000

        mutating func letGo(at now: ContinuousClock.Instant) {
            guard due.count >= bound else { return }
            due = due.filter { $0.value > now }
            bound = max(10_000, 2 * due.count)
        }
    }

    init(_ rate: Int) { self.rate = rate }

    /// Of how many tokens it knows when they may call.
    var known: Int { tokens.withLock { $0.due.count } }

    struct Allowance {
        let isGranted: Bool
        let limit: Int
        let remaining: Int
        /// Until all may be taken again, in s.
        let reset: Int

        /// draft-ietf-httpapi-ratelimit-headers, as it was before it became one field.
        var headers: [(HTTPField.Name, String)] {
            [("RateLimit-Limit", limit), ("RateLimit-Remaining", remaining), ("RateLimit-Reset", reset)].map {
                (HTTPField.Name($0)!, String($1))
            }
        }

        var problem: Problem {
            var problem = Problem(
                .tooManyRequests, "rate", "the token calls too often", expected: "at most \(limit) requests a second",
                fix: "wait for the time in Retry-After, or send more signals with each request"
            ).with(.retryAfter, String(max(1, reset)))
            for (name, value) in headers { problem.headers[name] = value }
            return problem
        }
    }

    func take(_ token: String, at now: ContinuousClock.Instant = .now) -> Allowance {
        let (step, whole) = (Duration.seconds(1) / rate, Duration.seconds(1))
        return tokens.withLock { tokens in
            tokens.letGo(at: now)
            let next = max(tokens.due[token] ?? now, now) + step
            let isGranted = next - now <= whole
            if isGranted { tokens.due[token] = next }
            let used = (isGranted ? next : next - step) - now
            return Allowance(
                isGranted: isGranted, limit: rate, remaining: max(0, Int((whole - used) / step)),
                reset: Int((used / .seconds(1)).rounded(.up)))
        }
    }
}
