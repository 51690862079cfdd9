import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfrySignals
import BelfryStore

extension OpenStore {
    /// Removes everything that there is of a subject, in the store and in the journal. What stays is a digest of the subject with the number
    /// of its last decision.
    ///
    /// The records have come to the end of the journal, so that what it says of how they changed is not needed. Signals, decisions and what is
    /// to be forwarded become blanks: the others keep their places.
    ///
    /// - Returns: whether there was anything.
    /// - Throws: `StoreError` or `JournalError`, before anything is removed if it would stay.
    public func erase(_ subject: String) throws -> Bool {
        try records.checkThatItErases()
        let record = try records.record(for: subject)
        if record == nil, try records.quarantined(of: subject).isEmpty { return false }
        try erase(subject, lastDecision: try lastDecision(of: subject, record))
        return true
    }

    /// A damaged record does not say the number: then it is one beyond all that were given.
    private func lastDecision(of subject: String, _ record: [UInt8]?) throws -> UInt64 {
        let known = record.flatMap { try? SubjectRecord(subject: subject, reading: $0).decisions }
        if let known { return known }
        let forgotten = try records.lastDecision(ofForgotten: subject)
        return record == nil ? forgotten : forgotten + QuarantinedRecord.decisions
    }

    private func erase(_ subject: String, lastDecision: UInt64) throws {
        let erasure = Erasure(subject)
        try journal.rewrite { try erasure.apply(to: &$0) }
        try records.erase(subject, lastDecision: lastDecision)
    }
}

/// Blanks what the entries of a journal have of a subject, one after the other.
private final class Erasure {
    private let subject: String
    private let router = SignalRouter()
    /// The gaps that stay, by the entries that they are in: what filled them comes in a later entry.
    private var gaps: [UInt64: Set<Int>] = [:]

    init(_ subject: String) { self.subject = subject }

    func apply(to entry: inout JournalEntry) throws -> Bool {
        let before = entry
        entry[.signals] = blankLines(of: entry[.signals], where: isSignal)
        entry[.lines] = blankLines(of: entry[.lines], where: isAbout)
        entry[.differences] = blankLines(of: entry[.differences], where: isAbout)
        ForwardItems.remove(from: &entry) { $0.withUnsafeBufferPointer(isAbout) }
        try eraseCalls(from: &entry)
        entry[.changes] = try changes(in: entry[.changes])
        return entry != before
    }

    private func eraseCalls(from entry: inout JournalEntry) throws {
        var batch = try OutgoingBatch(entry)
        if batch.calls.contains(where: { $0.subject.isSameText(as: subject) }) {
            batch = batch.without(subject)
            batch.write(to: &entry)
        }
        if !batch.gaps.isEmpty { gaps[entry.number] = Set(batch.gaps.map(\.offset)) }
        guard let outcomes = GapFillings.all(in: entry) else { return }
        let kept = outcomes.map { outcome in
            GapFillings(
                entry: outcome.entry, texts: outcome.texts.filter { gaps[outcome.entry]?.contains($0.key) == true })
        }
        if kept != outcomes { GapFillings.write(kept, to: &entry) }
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
}
