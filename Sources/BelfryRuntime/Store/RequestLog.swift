import BelfryJournal
import BelfryModel
import Synchronization

/// Requests that are to be done once, as the journal has them. Any thread may call.
public final class RequestLog: Sendable {
    private let journal: Journal
    private let look = Mutex(Look())

    public init(_ journal: Journal) { self.journal = journal }

    /// What the journal has of a request.
    public struct Found: Sendable {
        public let mark: RequestMark
        /// What became of its first signals: of all of them, if nothing ended the service in between.
        public let results: [SignalResult]
        /// Whether it is not known yet what actions came to.
        public let isWaiting: Bool

        public var isWhole: Bool { results.count == mark.count }
    }

    /// What came of the request with that key; nil if there was none since then.
    public func find(_ key: String, since time: Instant) throws -> Found? {
        let entry = try look.withLock { look in
            try look.catchUp(journal, since: time)
            return look.entries[key]
        }
        guard let entry, entry >= journal.oldest else { return nil }
        var search = RequestSearch(key, since: time)
        let reader = try journal.reader(after: entry - 1)
        while !search.isDone, let entry = try reader.next() { try search.look(at: entry) }
        return search.found
    }

    /// Where requests begin, as far as the journal was read.
    private struct Look: ~Copyable {
        var reader: JournalReader?
        var entries: [String: UInt64] = [:]
        /// The oldest first.
        var order: [(key: String, entry: UInt64, time: Instant)] = []

        mutating func catchUp(_ journal: Journal, since time: Instant) throws {
            // What it did not read for a long time may be gone.
            let former = reader.flatMap { $0.hasLost ? nil : $0 }
            let reader = try former ?? journal.reader(since: time)
            self.reader = reader
            while let entry = try reader.next() {
                for piece in RequestPiece.all(in: entry[.requests]) where piece.first == 0 {
                    entries[piece.mark.key] = entry.number
                    order.append((piece.mark.key, entry.number, entry.writtenAt))
                }
            }
            forget(before: time)
        }

        private mutating func forget(before time: Instant) {
            let old = order.prefix { $0.time < time }
            for (key, entry, _) in old where entries[key] == entry { entries[key] = nil }
            order.removeFirst(old.count)
        }
    }
}

/// Puts together what the entries of a journal have of one request.
private struct RequestSearch {
    private let key: String
    private let time: Instant
    private var parts: [Part] = []

    private struct Part {
        let piece: RequestPiece
        let entry: UInt64
        let batch: OutgoingBatch
        /// Nil as long as it is not known what actions came to.
        var lines: [UInt8]?
    }

    init(_ key: String, since time: Instant) { (self.key, self.time) = (key, time) }

    private var count: Int { parts.reduce(0) { $0 + $1.piece.results.count } }

    var isDone: Bool {
        guard let mark = parts.first?.piece.mark else { return false }
        return count >= mark.count && parts.allSatisfy { $0.lines != nil }
    }

    mutating func look(at entry: JournalEntry) throws {
        for fillings in GapFillings.all(in: entry) ?? [] {
            for index in parts.indices where parts[index].entry == fillings.entry {
                parts[index].lines = parts[index].batch.lines(fillings: fillings.texts)
            }
        }
        if entry.writtenAt < time { return }
        for piece in RequestPiece.all(in: entry[.requests]) where piece.mark.key == key && piece.first == count {
            let batch = try OutgoingBatch(entry)
            parts.append(
                Part(piece: piece, entry: entry.number, batch: batch, lines: batch.gaps.isEmpty ? batch.bytes : nil))
        }
    }

    /// Nil if there was none.
    var found: RequestLog.Found? {
        guard let mark = parts.first?.piece.mark else { return nil }
        let results = parts.flatMap { part in
            SignalResult.results(at: part.piece.results, in: part.lines ?? part.batch.bytes).map(\.withoutBlanks)
        }
        return RequestLog.Found(mark: mark, results: results, isWaiting: parts.contains { $0.lines == nil })
    }
}

extension SignalResult {
    /// The decisions of somebody who was erased are blank.
    fileprivate var withoutBlanks: SignalResult {
        guard case .decided(let lines) = self else { return self }
        let newline = UInt8(ascii: "\n")
        let kept = lines.split(separator: newline).filter { $0.first == UInt8(ascii: "{") }
        return .decided(kept.reduce(into: []) { $0 += $1 + [newline] })
    }
}
