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
    /// - Returns: how many there were.
    /// - Throws: `RecordTransferFailure`, `StoreError` or `JournalError`.
    public static func `import`(_ lines: some Sequence<String>, into store: OpenStore) throws -> Int {
        try checkThatItIsNew(store)
        try store.records.commit(StoreBatch(meta: [isUnderway: [1]]))
        var (piece, count, passed) = (StorePiece(), 0, Instant.distantPast)
        for (number, line) in zip(1..., lines) where !line.isEmpty {
            switch try read(line, number) {
            case .tick(let time): passed = max(passed, time)
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
        case record(String, [UInt8])
    }

    private static func read(_ line: String, _ number: Int) throws -> Item {
        let fields = Value(json: Array(line.utf8)[...])?.map
        if fields?["type"]?.text == "clock.advanced", let time = fields?["time"]?.text.flatMap({ Instant(rfc3339: $0) })
        {
            return .tick(time)
        }
        guard let subject = fields?["subject"]?.text, subject.utf8.count <= Signal.longestSubject,
            let text = fields?["record"]?.text, let bytes = Data(base64Encoded: text)
        else { throw RecordTransferFailure.noRecord(line: number) }
        return .record(subject, [UInt8](bytes))
    }

    private static func change(
        _ subject: String, _ bytes: [UInt8], _ store: OpenStore, line: Int
    ) throws -> RecordChange {
        let (due, decisions) = try read(subject, bytes, line: line)
        // The other store had records of the subject in quarantine, which stay there: their numbers are not to come again here.
        let former = decisions / QuarantinedRecord.decisions * QuarantinedRecord.decisions
        if former > 0 { try store.records.erase(subject, lastDecision: former) }
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
        if piece.changes.isEmpty { return }
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

/// Why records are not taken.
public enum RecordTransferFailure: Error, CustomStringConvertible {
    /// A store that has, or has had, subjects of its own.
    case notNew(found: String)
    case noRecord(line: Int)
    /// Records of the store that is exported.
    case damagedHere([RecordFailure])
    /// A record in the lines, and not in the store.
    case damaged(String, RecordDamage, line: Int)
    case twice(String)
    /// Of a store whose import did not come to its end.
    case unfinished
    /// The same where it is only to be read, which may be while the import is at work.
    case unreadable

    public var description: String {
        switch self {
        case .notNew(let found):
            """
            the store is not new
              found: \(found)
              why: ids of decisions that were given in it would be given again by the records to come
              fix: name a store that is not there yet: another path after 'sqlite:', or another database or schema after 'postgres:'
            """
        case .noRecord(let line):
            """
            line \(line) is no record
              found: something else than {"subject":…,"record":…}
              fix: take lines of 'belfry state export --all', or what a job on Flink wrote for the command 'records'; then begin again \
            with a store that is not there yet
            """
        case .damagedHere(let failures): Self.damagedHere(failures)
        case .damaged(let subject, let damage, let line):
            """
            cannot read the record of subject '\(subject)' in line \(line)
              why: \(damage.reason)
              fix: \(damage.isNewer ? "run the newer belfry that exported it" : Self.sourceFix); remove the store that was begun, \
            \(Self.removal), and import into a new one
            """
        case .twice(let subject):
            """
            the record of subject '\(subject)' comes twice
              why: they are of two exports, or of two commands 'records', and the older one would give ids that were given before
              fix: take the lines of one of them; then begin again with a store that is not there yet
            """
        case .unfinished:
            """
            the store has only a part of the records that were imported into it
              why: 'belfry state import' did not come to its end, and who is missing would begin again with ids that were given before
              fix: remove the store \(Self.removal), and import into a new one
            """
        case .unreadable:
            """
            the store has only a part of the records that are imported into it
              why: 'belfry state import' has not come to its end, and what is read would look whole
              fix: wait for its end if it is at work; otherwise remove the store \(Self.removal), and import into a new one
            """
        }
    }

    private static let sourceFix =
        "export again, if the store that it is of has it damaged after 'belfry state verify --repair' there"

    /// What a store consists of.
    private static let removal = "with its journal (in PostgreSQL: drop the tables belfry_…)"

    /// Each of the first ten.
    private static func damagedHere(_ failures: [RecordFailure]) -> String {
        var parts = failures.prefix(10).map { failure in
            """
            the record of subject '\(failure.subject)' is \(failure.damage.isNewer ? "of a newer belfry" : "damaged")
              why: \(failure.damage.reason)
              fix: \(failure.damage.isNewer ? "export with the belfry that wrote it" : exportFix)
            """
        }
        if failures.count > 10 {
            parts.append("and \(failures.count - 10) more: 'belfry state verify' names all of them")
        }
        return parts.joined(separator: "\n")
    }

    private static let exportFix =
        "'belfry state verify --repair' puts such records right or into quarantine; then export again, since no import takes this one"
}
