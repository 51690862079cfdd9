/// Why a journal cannot be read or written.
public struct JournalError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The system refuses.
        case failed
        /// The server that it is on does not answer, or not any more; what was to be added may have been.
        case unreachable
        /// Something else has what is needed in its database, and has not let go of it for 2 s.
        case held
        /// Another process writes to it now.
        case fenced
        /// There is no room left on the disk.
        case full
        /// What is there is not what was written.
        case damaged
        /// The process that writes it has dropped the segment that was to be read.
        case dropped
        /// It belongs to another store.
        case foreign
        /// It was written by a belfry that came later.
        case newer
    }

    public let code: Code
    /// What happened, why, and what to do, each on a line of its own.
    public let message: String

    /// A part of a sentence.
    public let reason: String
    /// What to do, another part.
    public let fix: String

    public var description: String { message }
}

/// All sentences of this module stand here, but those about PostgreSQL.
extension JournalError {
    init(_ code: Code, _ path: String, _ heading: String = "cannot use the journal", why: String, fix: String) {
        self.init(
            code: code, message: "\(heading) '\(path)'\n  why: \(why)\n  fix: \(fix)", reason: why,
            fix: fix)
    }

    static func system(_ number: Int32, _ path: String, _ file: String) -> JournalError {
        let reason = systemReason(number)
        if isFull(number) {
            return JournalError(
                .full, path, "cannot write to the journal", why: "there is no room left on its disk",
                fix: "free some space, and start a run again; a service goes on by itself. Everything before is kept")
        }
        return JournalError(
            .failed, path, why: "the system reports for '\(file)': \(reason)",
            fix: "check the folder and the disk, and that this user may write there")
    }

    private static let restore = """
        restore store and journal together from a copy, or go on without what the journal has after the last checkpoint: \
        'belfry state verify --repair'
        """

    static func broken(_ path: String, segment: String, at offset: Int) -> JournalError {
        JournalError(
            .damaged, path, why: "'\(segment)' is damaged at byte \(offset), and goes on behind that", fix: restore)
    }

    static func dropped(_ path: String, after number: UInt64) -> JournalError {
        JournalError(
            .dropped, path, why: "what comes after entry \(number) was dropped by the run that writes it",
            fix:
                "begin again; 'journal: { keep: 30d }' in the configuration keeps decisions for longer, in memory 256 MiB at most"
        )
    }

    public static func missing(_ path: String, after number: UInt64) -> JournalError {
        JournalError(.damaged, path, why: "what comes after entry \(number) is missing", fix: restore)
    }

    /// - Parameter checkpoint: the entry that the store has come to.
    public static func behind(_ path: String, last: UInt64, checkpoint: UInt64) -> JournalError {
        JournalError(
            .damaged, path, why: "it ends with entry \(last), and the store has come to entry \(checkpoint)",
            fix: restore)
    }

    static func foreign(_ path: String) -> JournalError {
        JournalError(
            .foreign, path, why: "it is the journal of another store",
            fix: "put the store and its journal side by side again, as they were")
    }

    static func newer(_ path: String, found: Int) -> JournalError {
        JournalError(
            .newer, path, why: "it has format version \(found); this belfry knows version \(JournalSegment.version)",
            fix: "run the newer belfry that wrote it")
    }

    public static func senseless(_ path: String, number: UInt64) -> JournalError {
        JournalError(.damaged, path, why: "what entry \(number) says of records makes no sense", fix: restore)
    }

    public static func unknownChanges(_ path: String, number: UInt64, subject: String) -> JournalError {
        JournalError(
            .damaged, path,
            why: "entry \(number) changes a record of subject '\(subject)' that is not the one in the store",
            fix: restore)
    }
}
