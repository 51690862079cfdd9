import HTTPTypes
import Hummingbird
import Synchronization

/// How many streams and long polls there may be at once.
final class Streams: Sendable {
    private let limit: Int
    private let open = Mutex(0)

    init(limit: Int) { self.limit = limit }

    var count: Int { open.withLock { $0 } }

    /// One of them, until it leaves.
    final class Place: Sendable {
        private let streams: Streams
        private let hasLeft = Mutex(false)

        fileprivate init(_ streams: Streams) { self.streams = streams }

        func leave() {
            let isFirst = hasLeft.withLock { hasLeft in
                defer { hasLeft = true }
                return !hasLeft
            }
            if isFirst { streams.open.withLock { $0 -= 1 } }
        }

        deinit { leave() }
    }

    /// - Throws: a problem if there are too many.
    func enter() throws -> Place {
        let isFree = open.withLock { open in
            if open >= limit { return false }
            open += 1
            return true
        }
        if isFree { return Place(self) }
        throw Problem(
            .serviceUnavailable, "too-many-streams", "too many streams are open", found: "\(limit)",
            expected: "at most what 'serve: { limits: { streams } }' allows", fix: "close one, or come again later"
        ).with(.retryAfter, "5")
    }
}
