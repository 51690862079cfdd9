/// All sentences of this module stand here, but those about PostgreSQL.
extension StoreError {
    /// What was being done when it failed; the first line of every message.
    package enum Attempt {
        case opening, reading, writing, erasing

        func heading(_ path: String) -> String {
            switch self {
            case .opening: "cannot open store '\(path)'"
            case .reading: "cannot read store '\(path)'"
            case .writing: "cannot write to store '\(path)'"
            case .erasing: "cannot erase from store '\(path)'"
            }
        }
    }

    init(_ code: Code, _ attempt: Attempt, _ path: String, why: String, fix: String, holder: String? = nil) {
        self.init(
            code: code, path: path, message: "\(attempt.heading(path))\n  why: \(why)\n  fix: \(fix)", holder: holder)
    }

    /// `process` is nil if the process that holds the lock has not left its number.
    static func locked(_ path: String, by process: Int32?) -> StoreError {
        let holder = process.map { "process \($0)" } ?? "another process"
        return StoreError(
            .locked, .opening, path, why: "\(holder) is writing to it, and a store has one writer at a time",
            fix: "wait until that process has ended, or name another store")
    }

    /// A lock of the database itself, which no Belfry takes for longer than a moment.
    static func busy(_ path: String, _ attempt: Attempt) -> StoreError {
        StoreError(
            .locked, attempt, path, why: "another program has kept the database locked for more than 5s",
            fix: "close the program that has the file open, and try again")
    }

    /// No error: what is said of an erasure that is carried out.
    static func unfinishedErasure(_ path: String) -> String {
        """
        everything is erased, and its former bytes are still in the files of store '\(path)'
          why: another program reads the database as it was before, such as a backup or a shell of SQLite
          fix: have it end; the next checkpoint of a run or service overwrites them then, as does 'belfry state verify --repair'
        """
    }

    static func full(_ path: String, _ attempt: Attempt) -> StoreError {
        StoreError(
            .full, attempt, path, why: "there is no room left on its disk",
            fix:
                "free some space, and start a run again; a service goes on by itself. Everything committed before is kept"
        )
    }

    static func openedReadOnly(_ path: String) -> StoreError {
        StoreError(
            .readOnly, .writing, path, why: "it was opened for reading only",
            fix: "open it for writing, which 'belfry run' does")
    }

    static func permission(_ path: String, _ attempt: Attempt, of file: String, reason: String) -> StoreError {
        StoreError(
            .permission, attempt, path, why: "the system refuses access to '\(file)': \(reason)",
            fix: "give this user write access to the file and its folder, or name a store elsewhere")
    }

    /// In WAL mode a reader, too, writes beside the database.
    static func sideFiles(_ path: String, _ attempt: Attempt, reason: String) -> StoreError {
        StoreError(
            .permission, attempt, path,
            why:
                "SQLite may not write to it or to its '-wal' and '-shm' files, which reading needs too: \(reason)",
            fix: "give this user write access to the file and its folder, or work on a copy elsewhere")
    }

    static func missing(_ path: String) -> StoreError {
        StoreError(
            .missing, .opening, path, why: "there is no such file, and reading does not create it",
            fix: "check the path; 'belfry run' creates the store")
    }

    static func missing(_ path: String, folder: String) -> StoreError {
        StoreError(
            .missing, .opening, path, why: "there is no folder '\(folder)'",
            fix: "create the folder, or check the path")
    }

    static func nothingYet(_ path: String) -> StoreError {
        StoreError(
            .missing, .opening, path, why: "it is empty: nothing was ever committed to it",
            fix: "check the path; 'belfry run' fills the store")
    }

    static func nothingInMemory() -> StoreError {
        StoreError(
            .missing, .opening, "memory",
            why: "a memory store ends with the process that made it, so there is nothing to read",
            fix: "name the store that 'belfry run' keeps, as sqlite:PATH")
    }

    static func folder(_ path: String) -> StoreError {
        StoreError(
            .notBelfry, .opening, path, why: "it is a folder", fix: "name a file in it, as '\(path)/belfry.db'")
    }

    static func notADatabase(_ path: String) -> StoreError {
        StoreError(
            .notBelfry, .opening, path, why: "the file is not an SQLite database",
            fix: "name another file; this one is left as it is")
    }

    static func foreign(_ path: String) -> StoreError {
        StoreError(
            .notBelfry, .opening, path, why: "it is the database of another application",
            fix: "name another place; this one is left as it is")
    }

    static func newer(_ path: String, found: Int, known: Int) -> StoreError {
        StoreError(
            .newer, .opening, path,
            why: "it has store version \(found); this belfry knows versions up to \(known)",
            fix: "run the newer belfry that wrote it, or name another store")
    }

    static func damaged(_ path: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .damaged, attempt, path, why: "its content is damaged: \(detail)",
            fix: "restore it from a backup, or name another store to begin anew")
    }

    static func closed(_ path: String, _ attempt: Attempt) -> StoreError {
        StoreError(.closed, attempt, path, why: "it was closed before", fix: "open it again")
    }

    static func failed(_ path: String, _ attempt: Attempt, detail: String) -> StoreError {
        StoreError(
            .failed, attempt, path, why: detail,
            fix: "check the disk and the file; everything committed before is kept")
    }
}
