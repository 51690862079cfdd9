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
        /// What became of its first signals: of all of them, if nothing ended the service in between. Nil for one whose decisions were erased.
        public let results: [SignalResult?]
        /// Whether signals were erased that were taken together with its own.
        public let hasErased: Bool
        /// Whether it is not known yet what actions came to.
        public let isWaiting: Bool
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
            forget(before: time)
            while let entry = try reader.next() {
                if entry.writtenAt < time { continue }
                for piece in RequestPiece.all(in: entry[.requests]) where piece.first == 0 {
                    // Of a request that is known, what was erased came once more.
                    if let known = entries[piece.mark.key], known >= journal.oldest { continue }
                    entries[piece.mark.key] = entry.number
                    order.append((piece.mark.key, entry.number, entry.writtenAt))
                }
            }
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
        /// Whether some of the signals of its entry were erased.
        let hasErased: Bool
        /// Nil as long as it is not known what actions came to.
        var lines: [UInt8]?

        var results: [SignalResult?] {
            SignalResult.results(at: piece.results, in: lines ?? batch.bytes).map(\.unlessErased)
        }
    }

    init(_ key: String, since time: Instant) { (self.key, self.time) = (key, time) }

    /// How many of its signals there are.
    private var count: Int { parts.map { $0.piece.first + $0.piece.results.count }.max() ?? 0 }

    var isDone: Bool {
        guard let mark = parts.first?.piece.mark else { return false }
        // What was erased may have been decided anew.
        return count >= mark.count && parts.allSatisfy { $0.lines != nil && !$0.hasErased }
    }

    mutating func look(at entry: JournalEntry) throws {
        for fillings in GapFillings.all(in: entry) ?? [] {
            for index in parts.indices where parts[index].entry == fillings.entry {
                parts[index].lines = parts[index].batch.lines(fillings: fillings.texts)
            }
        }
        if entry.writtenAt < time { return }
        for piece in RequestPiece.all(in: entry[.requests]) where piece.mark.key == key && 0...count ~= piece.first {
            let batch = try OutgoingBatch(entry)
            parts.append(
                Part(
                    piece: piece, entry: entry.number, batch: batch, hasErased: entry.hasErased,
                    lines: batch.gaps.isEmpty ? batch.bytes : nil))
        }
    }

    /// Nil if there was none.
    var found: RequestLog.Found? {
        guard let mark = parts.first?.piece.mark else { return nil }
        return RequestLog.Found(
            mark: mark, results: results, hasErased: parts.contains { $0.hasErased },
            isWaiting: parts.contains { $0.lines == nil })
    }

    /// The first that is known of each signal.
    private var results: [SignalResult?] {
        parts.reduce(into: []) { results, part in
            for (index, result) in zip(part.piece.first..., part.results) {
                if index == results.count {
                    results.append(result)
                } else if results[index] == nil {
                    results[index] = result
                }
            }
        }
    }
}

extension JournalEntry {
    /// Whether some of its signals are blank: those of subjects who were erased.
    fileprivate var hasErased: Bool {
        self[.signals].split(separator: UInt8(ascii: "\n")).contains { $0.allSatisfy { $0 == UInt8(ascii: " ") } }
    }
}

extension SignalResult {
    /// Nil if its decisions are blank: those of subjects who were erased.
    fileprivate var unlessErased: SignalResult? {
        guard case .decided(let lines) = self else { return self }
        return lines.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.first == UInt8(ascii: "{") } ? self : nil
    }
}
