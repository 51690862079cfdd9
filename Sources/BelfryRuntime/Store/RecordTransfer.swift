import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfrySignals
import BelfryStore
import Foundation

// The records of a store as JSON Lines, for another store, or for an engine that keeps them itself:
//
//     {"type":"clock.advanced","time":"2026-03-02T09:00:00Z"}     the last tick
//     {"digest":"sha256:…","decisions":7}                        what stays of a subject whose record is gone
//     {"subject":"ana","record":"…"}                             a record, in base 64

/// Copies records between stores as lines.
public enum RecordTransfer {
    private static let pageSize = 1000
    /// The name of a value in a store: that it has not got all records yet that it is to have.
    static let isUnderway = "import"

    /// Shows all that a store has, a line at a time, by subject. It reads by pages: what is written meanwhile may be seen or not, unless the
    /// store was opened as it was at one instant.
    ///
    /// - Throws: `RecordTransferFailure` in the end if records are damaged. They have lines that no import takes, so that the rest does not pass
    ///   for all; `StoreError`.
    public static func export(_ store: any RecordStore, _ body: (String) -> Void) throws {
        let passed = try RunPosition(try store.meta(RunPosition.key)).passed
        if passed != .distantPast {
            body(Value.map(["type": "clock.advanced", "time": .text(passed.description)]).json)
        }
        for subject in try store.forgotten() where subject.lastDecision > 0 {
            body(Value.map(line(of: subject)).json)
        }
        var (after, page): (String?, [String]) = (nil, [])
        var damaged: [RecordFailure] = []
        repeat {
            page = try store.subjects(after: after, limit: pageSize)
            after = page.last
            for (subject, record) in zip(page, try store.records(for: page)) {
                guard let (bytes, damage) = line(of: subject, record, store) else { continue }
                body(Value.map(TraceLine.record(of: subject, bytes)).json)
                if let damage { damaged.append(RecordFailure(subject: subject, damage: damage)) }
            }
        } while !page.isEmpty
        if !damaged.isEmpty { throw RecordTransferFailure.damagedHere(damaged) }
    }

    private static func line(of subject: ForgottenSubject) -> Fields {
        [
            "digest": .text("\(SHA256Digest(bytes: subject.digest))"),
            "decisions": .integer(Int64(clamping: subject.lastDecision)),
        ]
    }

    /// A record, and what a verification would find in it; nil if there is none.
    private static func line(
        of subject: String, _ record: StoredRecord?, _ store: any RecordStore
    ) -> ([UInt8], RecordDamage?)? {
        // What the row has is outdated then: no bytes are none that an import takes.
        if let fault = (store as? JournaledStore)?.journalFault(of: subject) {
            return ([], RecordDamage(reason: fault))
        }
        guard let record else { return nil }
        do throws(RecordDamage) { _ = try SubjectRecord(subject: subject, reading: record.bytes) } catch {
            return (record.bytes, error)
        }
        return (record.bytes, nil)
    }

    /// Takes records into a store that has never had any, nor decided, by pages: one that was interrupted is thrown away and begun again.
    ///
    /// - Parameter descriptor: of the file or pipe that their lines are in.
    /// - Returns: how many there were.
    /// - Throws: `RecordTransferFailure`, `StoreError` or `JournalError`.
    public static func `import`(from descriptor: Int32, into store: OpenStore) throws -> Int {
        let lines = LineReader(descriptor, limit: .max - 1)
        do {
            return try `import`(lines, into: store)
        } catch let failure as InputFailure {
            throw RecordTransferFailure.unread(reason: failure.reason, line: lines.lineNumber)
        }
    }

    private static func `import`(_ lines: LineReader, into store: OpenStore) throws -> Int {
        try checkThatItIsNew(store)
        try store.records.commit(StoreBatch(meta: [isUnderway: [1]]))
        var (piece, count, passed) = (StorePiece(), 0, Instant.distantPast)
        while let line = try lines.next(wait: { true }) {
            let number = line.number
            if line.bytes.isEmpty { continue }
            switch try read(Array(line.bytes), number) {
            case .tick(let time): passed = max(passed, time)
            case .forgotten(let subject): if subject.lastDecision > 0 { piece.add(subject) }
            case .record(let subject, let bytes):
                piece.add(subject, try change(subject, bytes, store, line: number))
                count += 1
            }
            if piece.isFull { try commit(&piece, to: store) }
        }
        try commit(&piece, to: store)
        if passed != .distantPast { try note(passed, in: store) }
        try store.records.commit(StoreBatch(meta: [isUnderway: []]))
        return count
    }

    /// Also where no record is left: the ids that were given here are those that the records to come have given elsewhere.
    private static func checkThatItIsNew(_ store: OpenStore) throws {
        let counts = [
            ("records", try store.records.count()), ("subjects that were erased", try store.records.erasedCount()),
            ("records in quarantine", try store.records.quarantinedCount()),
            ("decisions of its journal", Int(clamping: store.journal.decisions)),
        ]
        let found = counts.filter { $0.1 > 0 }.map { "\($0.0): \($0.1)" }
        guard found.isEmpty else { throw RecordTransferFailure.notNew(found: found.joined(separator: ", ")) }
    }

    private enum Item {
        case tick(Instant)
        case forgotten(ForgottenSubject)
        case record(String, [UInt8])
    }

    private static func read(_ line: [UInt8], _ number: Int) throws -> Item {
        let fields = Value(json: line[...])?.map
        if fields?["type"]?.text == "clock.advanced", let time = fields?["time"]?.text.flatMap({ Instant(rfc3339: $0) })
        {
            return .tick(time)
        }
        if let digest = fields?["digest"] {
            return .forgotten(try forgotten(digest, fields?["decisions"], line: number))
        }
        guard let subject = fields?["subject"]?.text, subject.utf8.count <= Signal.longestSubject,
            let text = fields?["record"]?.text, let bytes = Data(base64Encoded: text)
        else { throw RecordTransferFailure.noRecord(line: number) }
        return .record(subject, [UInt8](bytes))
    }

    private static func forgotten(_ digest: Value, _ decisions: Value?, line: Int) throws -> ForgottenSubject {
        guard let digest = digest.text.flatMap(SHA256Digest.init(text:)), case .integer(let number)? = decisions,
            let number = UInt64(exactly: number)
        else { throw RecordTransferFailure.noNumber(line: line) }
        return ForgottenSubject(digest: digest.bytes, lastDecision: number)
    }

    private static func change(
        _ subject: String, _ bytes: [UInt8], _ store: OpenStore, line: Int
    ) throws -> RecordChange {
        let (due, decisions) = try read(subject, bytes, line: line)
        // The other store had records of the subject in quarantine, which stay there: their numbers are not to come again here.
        let former = decisions / QuarantinedRecord.decisions * QuarantinedRecord.decisions
        if former > 0 { try store.records.note([ForgottenSubject(subject, lastDecision: former)]) }
        return RecordChange(subject: subject, bytes: bytes, nextDue: due, entry: store.journal.last)
    }

    private static func read(
        _ subject: String, _ bytes: [UInt8], line: Int
    ) throws -> (due: Instant?, decisions: UInt64) {
        do throws(RecordDamage) {
            let record = try SubjectRecord(subject: subject, reading: bytes)
            return (record.nextDue, record.decisions)
        } catch {
            throw RecordTransferFailure.damaged(subject, error, line: line)
        }
    }

    private static func commit(_ piece: inout StorePiece, to store: OpenStore) throws {
        if !piece.forgotten.isEmpty { try store.records.note(piece.forgotten) }
        try checkThatAreNew(piece.subjects, in: store)
        try store.records.commit(StoreBatch(records: piece.changes))
        piece = StorePiece()
    }

    private static func checkThatAreNew(_ subjects: [String], in store: OpenStore) throws {
        var seen: Set<SubjectKey> = []
        for (subject, known) in zip(subjects, try store.records.records(for: subjects))
        where known != nil || !seen.insert(SubjectKey(subject)).inserted {
            throw RecordTransferFailure.twice(subject)
        }
    }

    private static func note(_ passed: Instant, in store: OpenStore) throws {
        var position = try RunPosition(store.journal.value(RunPosition.key))
        position.passed = max(position.passed, passed)
        var entry = JournalEntry(writtenAt: .wallClock)
        entry.values[RunPosition.key] = position.bytes
        try store.journal.append(entry)
    }
}
