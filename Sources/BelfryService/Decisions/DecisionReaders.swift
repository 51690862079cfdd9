import BelfryJournal
import BelfryRuntime
import Synchronization

/// Readers that stand where a client will go on, so that a page does not begin with the oldest decision each time.
final class DecisionReaders: Sendable {
    private let idle = Mutex<[DecisionReader]>([])
    private static let most = 32
    /// How many bytes they may hold together: each has an entry of the journal in memory, which may be large. One reader is kept however
    /// large it is, or its client would have that entry read again for each page.
    private static let mostHeld = 64 << 20

    /// A reader behind a cursor.
    ///
    /// - Throws: a problem: that cursor was never given out, or what comes behind it is not kept any more.
    func reader(of journal: Journal, after cursor: DecisionCursor?) throws -> DecisionReader {
        guard let cursor else { return try DecisionReader(journal, after: journal.cursor(journal.firstDecision)) }
        guard cursor.series == journal.series else { throw Self.gone(cursor) }
        guard cursor.number <= journal.decisions else { throw Self.unknown(cursor.text) }
        if let reader = take(cursor, of: journal), !reader.hasLost { return reader }
        if try journal.firstDecision > cursor.number { throw Self.gone(cursor) }
        return try DecisionReader(journal, after: cursor)
    }

    private func take(_ cursor: DecisionCursor, of journal: Journal) -> DecisionReader? {
        idle.withLock { idle in
            idle.firstIndex { $0.cursor == cursor && $0.journal === journal }.map { idle.remove(at: $0) }
        }
    }

    /// Keeps a reader for the client that goes on there.
    func keep(_ reader: DecisionReader) {
        idle.withLock { idle in
            idle.append(reader)
            var held = idle.map(\.held).reduce(0, +)
            while idle.count > Self.most || (held > Self.mostHeld && idle.count > 1) {
                held -= idle.removeFirst().held
            }
        }
    }

    /// Lets go of all: what they have read may have been erased.
    func forget() { idle.withLock { $0 = [] } }

    static func cursor(_ text: String) throws -> DecisionCursor {
        guard let cursor = DecisionCursor(text) else { throw unknown(text) }
        return cursor
    }

    private static func unknown(_ text: String) -> Problem {
        Problem(
            .badRequest, "unknown-cursor", "this cursor is none of this service", found: text,
            expected: "'next' of a page, or the id of an event", fix: withoutCursor)
    }

    private static func gone(_ cursor: DecisionCursor) -> Problem {
        Problem(
            .gone, "gone", "decisions behind this cursor are not kept any more", found: cursor.text,
            expected: "a cursor of this journal, not older than 'serve: { keep }'", fix: withoutCursor)
    }

    private static let withoutCursor =
        "leave it out: /v1/decisions begins with the oldest decision that is kept then, a stream with the next one that is made"
}

extension Journal {
    /// How many decisions came before the oldest entry that is kept.
    var firstDecision: UInt64 { get throws { try reader().next()?.decisionsBefore ?? 0 } }
}
