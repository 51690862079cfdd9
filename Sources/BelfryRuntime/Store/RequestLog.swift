import BelfryJournal
import BelfryModel
import Synchronization

/// Requests that are to be done once, as the journal has them. Any thread may call.
public final class RequestLog: Sendable {
    private let journal: Journal
    private let hash: @Sendable (String) -> Int
    private let look = Mutex(Look())

    public convenience init(_ journal: Journal) { self.init(journal) { $0.hashValue } }

    /// - Parameter hash: of a key. Keys may have the same one.
    init(_ journal: Journal, hash: @escaping @Sendable (String) -> Int) { (self.journal, self.hash) = (journal, hash) }

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
            try look.catchUp(journal, since: time, hash)
            return look.entry(of: hash(key))
        }
        guard let entry else { return nil }
        var search = RequestSearch(key, since: time)
        let reader = try journal.reader(after: max(entry, journal.oldest) - 1)
        while !search.isDone, let entry = try reader.next() { try search.look(at: entry) }
        return search.found
    }

    /// Where requests begin, as far as the journal was read.
    ///
    /// Keys of a day may be millions, so that of each its hash alone is kept. No key is taken for another one: a search compares keys, and begins
    /// with the first entry that has the hash.
    private struct Look: ~Copyable {
        var reader: JournalReader?
        /// The oldest first. Each is let go of as a whole, since all callers wait meanwhile.
        var spans: [Span] = []

        func entry(of hash: Int) -> UInt64? { spans.lazy.compactMap { $0.entries[hash] }.first }

        mutating func catchUp(_ journal: Journal, since time: Instant, _ hash: (String) -> Int) throws {
            // What it did not read for a long time may be gone.
            let former = reader.flatMap { $0.hasLost ? nil : $0 }
            let reader = try former ?? journal.reader(since: time)
            self.reader = reader
            while let oldest = spans.first, oldest.end < time { spans.removeFirst() }
            while let entry = try reader.next() {
                if entry.writtenAt < time { continue }
                for piece in RequestPiece.all(in: entry[.requests]) where piece.first == 0 {
                    note(hash(piece.mark.key), entry)
                }
            }
        }

        private mutating func note(_ hash: Int, _ entry: JournalEntry) {
            if spans.last.map({ $0.begin + Span.length <= entry.writtenAt }) ?? true {
                spans.append(Span(begin: entry.writtenAt, end: entry.writtenAt))
            }
            spans[spans.count - 1].note(hash, entry)
        }
    }

    /// The requests of an hour.
    private struct Span {
        let begin: Instant
        /// When the last of its entries was written.
        var end: Instant
        /// The first entry that has the hash of a key.
        var entries: [Int: UInt64] = [:]

        static let length = Duration.hours(1)

        mutating func note(_ hash: Int, _ entry: JournalEntry) {
            end = max(end, entry.writtenAt)
            if entries[hash] == nil { entries[hash] = entry.number }
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
