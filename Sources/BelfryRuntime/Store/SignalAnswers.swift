import BelfryJournal
import BelfryModel
import BelfrySignals
import Synchronization

/// What a subject's signal is known by.
public struct SignalName: Hashable, Sendable {
    public let subject: String
    public let source: String
    public let id: String

    public init(subject: String, source: String, id: String) {
        (self.subject, self.source, self.id) = (subject, source, id)
    }

    // By their bytes, as subjects are told apart.

    public static func == (left: SignalName, right: SignalName) -> Bool {
        left.id.isSameText(as: right.id) && left.subject.isSameText(as: right.subject)
            && left.source.isSameText(as: right.source)
    }

    public func hash(into hasher: inout Hasher) {
        for text in [id, subject, source] { text.withBytes { hasher.combine(bytes: $0) } }
    }
}

/// The decisions that signals got when they were decided: for clients that ask again.
///
/// The latest are in memory; those before are looked for in the journal, as far as it is kept. Any thread may call.
public final class SignalAnswers: Sendable {
    private let journal: Journal
    private let recent: Mutex<RecentAnswers>
    private let look = Mutex(Look())

    /// - Parameter limit: how many bytes of signals and decisions to remember.
    public init(_ journal: Journal, limit: Int = 32 << 20) {
        self.journal = journal
        recent = Mutex(RecentAnswers(limit: limit))
    }

    /// Remembers what the signals of a block got.
    public func remember(_ block: SignalBlock, _ results: [SignalResult]) {
        recent.withLock { $0.append(block, results) }
    }

    /// Forgets what a subject got.
    public func forget(_ subject: String) {
        recent.withLock { $0.forget(subject) }
        // What it has read is not in the journal any more.
        look.withLock { $0 = Look() }
    }

    /// What those signals got, as lines; nothing of those that are not kept.
    public func find(_ names: Set<SignalName>) throws -> [SignalName: [UInt8]] {
        let found = known(names)
        if found.count == names.count { return found }
        // What the journal has got since the last look may be another request's, or a run's before this one. A look after this one
        // finds it in memory.
        let (isComplete, read) = try look.withLock { look in
            let (isComplete, read) = try look.catchUp(journal)
            recent.withLock { recent in
                // What is there is later.
                for (name, lines) in read where recent.lines(of: name) == nil { recent.append(name, lines[...]) }
            }
            return (isComplete, read.filter { names.contains($0.key) })
        }
        let all = read.merging(known(names)) { $1 }
        let missing = names.filter { all[$0] == nil }
        if missing.isEmpty || (isComplete && !hasForgotten) { return all }
        var search = AnswerSearch(missing)
        let reader = try journal.reader()
        // To the end: a subject that was reset may have got another one.
        while let entry = try reader.next() { try search.look(at: entry) }
        return all.merging(search.take()) { $1 }
    }

    private func known(_ names: Set<SignalName>) -> [SignalName: [UInt8]] {
        recent.withLock { recent in
            names.reduce(into: [:]) { found, name in found[name] = recent.lines(of: name).map { Array($0) } }
        }
    }

    /// Whether the oldest had to go.
    private var hasForgotten: Bool { recent.withLock { $0.hasForgotten } }

    /// How far the journal was read for those whom memory did not know.
    private struct Look: ~Copyable {
        var reader: JournalReader?
        var search = AnswerSearch(nil)

        /// - Returns: whether nothing waits for an action, and what signals got.
        mutating func catchUp(_ journal: Journal) throws -> (Bool, [SignalName: [UInt8]]) {
            // What it did not read for a long time may be gone, also what an action came to that is waited for.
            if self.reader?.hasLost == true { (self.reader, search) = (nil, AnswerSearch(nil)) }
            let reader = try self.reader ?? journal.reader()
            self.reader = reader
            while let entry = try reader.next() { try search.look(at: entry) }
            return (search.isWhole, search.take())
        }
    }
}

/// Looks for the latest answers of signals, entry after entry.
private struct AnswerSearch {
    /// Nil: all are looked for.
    private let wanted: Set<SignalName>?
    private var found: [SignalName: (entry: UInt64, lines: [UInt8])] = [:]
    /// Those whose lines wait for what actions came to.
    private var waiting: [(batch: OutgoingBatch, entry: UInt64, answers: [(SignalName, Range<Int>)])] = []
    private let heads = SignalHeadReader()

    init(_ names: Set<SignalName>?) { wanted = names }

    /// Whether nothing waits for what an action came to.
    var isWhole: Bool { waiting.isEmpty }

    /// What was found since the last time.
    mutating func take() -> [SignalName: [UInt8]] {
        defer { found = [:] }
        return found.mapValues(\.lines)
    }

    mutating func look(at entry: JournalEntry) throws {
        for fillings in GapFillings.all(in: entry) ?? [] {
            guard let index = waiting.firstIndex(where: { $0.entry == fillings.entry }) else { continue }
            let (batch, number, answers) = waiting.remove(at: index)
            take(answers, of: number, from: batch.lines(fillings: fillings.texts))
        }
        if entry[.answers].isEmpty { return }
        let answers = self.answers(in: entry)
        if answers.isEmpty { return }
        let batch = try OutgoingBatch(entry)
        if batch.gaps.isEmpty {
            take(answers, of: entry.number, from: batch.bytes)
        } else {
            waiting.append((batch, entry.number, answers))
        }
    }

    private func answers(in entry: JournalEntry) -> [(SignalName, Range<Int>)] {
        let (places, signals) = (AnswerPlaces(bytes: entry[.answers]), entry[.signals])
        if let wanted, !wanted.contains(where: { mayName($0, signals) }) { return [] }
        var (answers, line, start): ([(SignalName, Range<Int>)], Int, Int) = ([], 0, 0)
        var padded = signals
        padded.append(contentsOf: repeatElement(0, count: SignalDecoder.padding))
        padded.withUnsafeBufferPointer { bytes in
            while line < places.count, let end = signals[start...].firstIndex(of: UInt8(ascii: "\n")) {
                let head = heads.read(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                if let name = SignalName(head), wanted?.contains(name) ?? true { answers.append((name, places[line])) }
                (line, start) = (line + 1, end + 1)
            }
        }
        return answers
    }

    /// Whether these lines may have the signal: to tell that for certain takes longer.
    private func mayName(_ name: SignalName, _ signals: [UInt8]) -> Bool {
        signals.contains(name.id) || signals.contains(UInt8(ascii: "\\"))
    }

    private mutating func take(_ answers: [(SignalName, Range<Int>)], of entry: UInt64, from bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (name, places) in answers where found[name].map({ $0.entry <= entry }) ?? true {
            // Those of an erased subject are blank.
            let own = places.clamped(to: 0..<lines.count).map { lines[$0] }.filter { $0.first == UInt8(ascii: "{") }
            found[name] = (entry, own.reduce(into: []) { $0 += $1 + [UInt8(ascii: "\n")] })
        }
    }
}

extension SignalName {
    /// Nil for what was no signal, or had no id.
    package init?(_ head: SignalHead) {
        guard let id = head.id, let subject = head.subject else { return nil }
        self.init(subject: subject, source: head.source ?? "", id: id)
    }
}
