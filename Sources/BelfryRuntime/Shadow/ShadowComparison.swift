import BelfryCore
import BelfryJournal
import BelfryModel

/// Compares what two stores decided about the same signals, by their journals: a is in force, b the shadow, whose input is a's journal.
///
/// Where b has done all of an entry of a, both have decided the same signals and fired the timers of the same time: what has no counterpart
/// by then gets none. The place up to which all is compared is noted together with the counts, in b's journal, so that whatever ends the
/// process, each decision is compared once.
struct ShadowComparison: ~Copyable {
    private let journals: (a: Journal, b: Journal)
    private var a: JournalReader
    private var b: JournalReader
    /// Decisions that were read and not compared, of both sides.
    private var news: [[UInt8]] = [[], []]
    private(set) var record: ShadowRecord
    /// What is not in the journal yet.
    private var differences: [UInt8] = []
    /// How many entries were compared since the last note.
    private var unsaved = 0

    /// A note makes the journal grow, and waits for as many entries.
    private static let mostEntries = 256
    private static let mostBytes = 1 << 20

    init(_ record: ShadowRecord, of a: Journal, with b: Journal) throws {
        (self.record, journals) = (record, (a, b))
        (self.a, self.b) = (try a.reader(after: record.entry.a), try b.reader(after: record.entry.b))
    }

    /// Compares what both have. When there was nothing more since the last time, how far it is is noted.
    mutating func advance() throws {
        let before = unsaved
        while let entry = try b.next() {
            try add(entry, 1)
            guard let position = try entry.values[RunPosition.key].map({ try RunPosition($0).input }) ?? nil else {
                continue
            }
            // In the middle of an entry, a may have decided what b has not.
            let place = JournalPlace(position)
            guard place.lines == 0, place.entry > record.entry.a else { continue }
            while a.last < place.entry, let entry = try a.next() { try add(entry, 0) }
            settle()
            record.entry = (a.last, entry.number)
            unsaved += 1
            if unsaved >= Self.mostEntries || differences.count > Self.mostBytes { try save() }
        }
        if unsaved == before { try save() }
    }

    private mutating func add(_ entry: JournalEntry, _ side: Int) throws {
        if entry.decisions == 0 { return }
        let batch = try OutgoingBatch(entry)
        news[side] += batch.gaps.isEmpty ? batch.bytes : batch.lines(fillings: batch.fillings)
    }

    private mutating func settle() {
        let (a, b) = (news[0], news[1])
        for side in 0...1 { news[side].removeAll(keepingCapacity: true) }
        a.withUnsafeBytes { a in b.withUnsafeBytes { b in pair(Self.lines(of: a), Self.lines(of: b)) } }
    }

    private static func lines(of bytes: UnsafeRawBufferPointer) -> [ComparedLine] {
        var (lines, start): ([ComparedLine], Int) = ([], 0)
        lines.reserveCapacity(bytes.count / 200)
        while start < bytes.count, let end = bytes.endOfLine(at: start) {
            if let line = ComparedLine(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { lines.append(line) }
            start = end + 1
        }
        return lines
    }

    private mutating func pair(_ a: [ComparedLine], _ b: [ComparedLine]) {
        DecisionPairing.forEachPair(of: a.map(\.key), and: b.map(\.key)) { x, y in
            compare(x.map { a[$0] }, y.map { b[$0] })
        }
    }

    private mutating func compare(_ a: ComparedLine?, _ b: ComparedLine?) {
        record.compared += 1
        guard let kind = ComparedLine.kind(a, b) else { return }
        record.count(kind, a, b)
        differences += ComparedLine.difference(kind, a, b)
    }

    /// Notes how far it is.
    mutating func save() throws {
        if unsaved == 0 { return }
        var entry = JournalEntry(writtenAt: .wallClock)
        entry.values[ShadowRecord.key] = record.bytes
        entry[.differences] = differences
        try journals.b.append(entry)
        (differences, unsaved) = ([], 0)
    }

    /// A subject was erased, in both journals: what is not noted of it yet never is.
    mutating func forget(_ subject: String) throws {
        differences = Self.lines(in: differences, notAbout: subject)
        for side in 0...1 { news[side] = Self.lines(in: news[side], notAbout: subject) }
        // They may have the files that were those of the journals before.
        (a, b) = (try journals.a.reader(after: a.last), try journals.b.reader(after: b.last))
    }

    private static func lines(in bytes: [UInt8], notAbout subject: String) -> [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { line in
            Value(json: line)?.map?["subject"]?.text.map { SubjectKey($0) != SubjectKey(subject) } ?? false
        }
        return lines.reduce(into: []) { $0 += $1 + [UInt8(ascii: "\n")] }
    }
}

extension OutgoingBatch {
    /// Something for every gap that makes its line one of JSON.
    fileprivate var fillings: [Int: String] {
        Dictionary(gaps.map { ($0.offset, $0.kind == .outcome ? "" : "true") }) { first, _ in first }
    }
}
