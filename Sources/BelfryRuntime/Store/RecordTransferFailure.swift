import BelfryCore
import BelfryEngine

/// Why records are not taken.
public enum RecordTransferFailure: Error, CustomStringConvertible {
    /// A store that has, or has had, subjects of its own.
    case notNew(found: String)
    case noRecord(line: Int)
    /// What stays of a subject whose record is gone is damaged.
    case noNumber(line: Int)
    /// Records of the store that is exported.
    case damagedHere([RecordFailure])
    /// A record in the lines, and not in the store.
    case damaged(String, RecordDamage, line: Int)
    case twice(String)
    /// The system gave no more lines behind that one, and that was not their end.
    case unread(reason: String, line: Int)
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
        case .noNumber(let line):
            """
            line \(line) does not say how many decisions a subject has had
              found: something else than {"digest":"sha256:…","decisions":…} with 64 lower-case hexadecimal digits and a whole number
              why: without the number, ids that were given would be given again when the subject comes back
              fix: export again; then begin again with a store that is not there yet
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
        case .unread(let reason, let line):
            """
            cannot read the records to their end
              why: the system reports behind line \(line): \(reason)
              fix: check the file, or what writes into the pipe; remove the store that was begun, \(Self.removal), and import into a new one
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
