import BelfryCore
import BelfryJournal
import BelfryModel
import BelfrySignals
import BelfryStore

extension OpenStore {
    /// Removes everything that there is of a subject, in the store and in the journal. What stays is a digest of the subject with the number
    /// of its last decision.
    ///
    /// The records have come to the end of the journal, so that nobody needs what it says of how they changed. Signals, decisions and what is
    /// to be forwarded become blanks: the others keep their places.
    public func erase(_ subject: String, lastDecision: UInt64) throws {
        try journal.rewrite { try Erasure(subject).apply(to: &$0) }
        try records.erase(subject, lastDecision: lastDecision)
    }
}

/// Blanks what an entry of the journal has of a subject.
private struct Erasure {
    private let subject: String
    private let router = SignalRouter()

    init(_ subject: String) { self.subject = subject }

    func apply(to entry: inout JournalEntry) throws -> Bool {
        let before = entry
        entry[.signals] = blankLines(of: entry[.signals], where: isSignal)
        entry[.lines] = blankLines(of: entry[.lines], where: isAbout)
        entry[.items] = ForwardItems.blanked(entry[.items], where: isAbout)
        let batch = try OutgoingBatch(entry)
        if batch.calls.contains(where: { $0.subject == subject }) { batch.without(subject).write(to: &entry) }
        entry[.changes] = try changes(in: entry[.changes])
        return entry != before
    }

    private func isSignal(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        if case .subject(let found) = router.route(line) { return found.elementsEqual(subject.utf8) }
        return false
    }

    /// Decisions and items say whom they are about.
    private func isAbout(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        Value(json: Array(line)[...])?.map?["subject"]?.text.map { SubjectKey($0) == SubjectKey(subject) } ?? false
    }

    private func blankLines(of bytes: [UInt8], where isToGo: (UnsafeBufferPointer<UInt8>) -> Bool) -> [UInt8] {
        var bytes = bytes
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if bytes[start..<end].withUnsafeBufferPointer(isToGo) { bytes.blank(start..<end) }
            start = end + 1
        }
        return bytes
    }

    private func changes(in bytes: [UInt8]) throws -> [UInt8] {
        var others = GrowingBuffer()
        var isOther = false
        _ = RecordChanges.forEach(in: bytes) { found, difference in
            if SubjectKey(found) == SubjectKey(subject) {
                isOther = true
            } else {
                RecordChanges.append(found, Array(difference), to: &others)
            }
        }
        return isOther ? others.bytes : bytes
    }
}

extension [UInt8] {
    mutating func blank(_ range: Range<Int>) {
        for place in range { self[place] = UInt8(ascii: " ") }
    }

    /// Whether it was erased.
    var isBlank: Bool { allSatisfy { $0 == UInt8(ascii: " ") } }
}
