import ArgumentParser
import BelfryRuntime
import BelfrySignals
import BelfryStore
import CLinux
import Foundation
import Synchronization

/// An open file.
struct Descriptor {
    var number: Int32
    var name: String
    /// In bytes; nil for what has no end that is known.
    var size: Int?
    /// Whether it is a regular file that was named.
    var isFile = false
    /// What writes into it, where that is this process.
    private var writer: JournalWriter?

    /// Whether there is one. To be asked before anything is opened, which would take its number.
    static let hasStandardInput = fcntl(STDIN_FILENO, F_GETFD) >= 0

    /// - Parameters:
    ///   - command: what reads signals.
    ///   - option: what names the file.
    static func input(_ path: String, command: String = "run", option: String = "--signals") throws -> Descriptor {
        if path == "-" {
            guard hasStandardInput else {
                errno = EBADF
                throw failure("read", "standard input", "do not close it; '</dev/null' is an empty one")
            }
            // Each batch of what waits there is made durable by itself, however small it is.
            belfry_widen_pipe(STDIN_FILENO, 1 << 20)
            return Descriptor(number: STDIN_FILENO, name: "standard input")
        }
        if let store = store(of: path) { return try journal(of: store) }
        let number = open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure("read", path, "check the name that \(option) gives") }
        var status = stat()
        fstat(number, &status)
        if status.st_mode & S_IFMT == S_IFDIR {
            errno = EISDIR
            throw failure("read", path, "name a file; 'cat \(path)/* | belfry \(command)' reads several")
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        return Descriptor(number: number, name: "'\(path)'", size: isFile ? Int(status.st_size) : nil, isFile: isFile)
    }

    private static let journalPrefix = "journal:"

    /// The store whose journal signals come from, a file or a database; nil if they come from elsewhere.
    private static func store(of signals: String) -> StoreLocation? {
        guard signals.hasPrefix(journalPrefix) else { return nil }
        let name = String(signals.dropFirst(journalPrefix.count))
        if case .postgres(let address) = StoreLocation(name) { return .postgres(address) }
        return .sqlite(path: name)
    }

    /// The files of that store, if it has any, for `refuseSharing`.
    static func stores(of signals: String) -> [(what: String, path: String)] { store(of: signals)?.filesToSpare ?? [] }

    /// What signals come from, as it was named, without the password of a database; nil for standard input.
    static func source(of signals: String) -> String? {
        if case .postgres(let address) = store(of: signals) { return "\(journalPrefix)\(address)" }
        return signals == "-" ? nil : signals
    }

    /// The signals in the journal of a store, as lines of an input.
    private static func journal(of location: StoreLocation) throws -> Descriptor {
        if let folder = location.journalPath, access(folder, R_OK) != 0 {
            throw failure("read", folder, "name the store whose journal it is: journal:PATH")
        }
        let store = location.path ?? "\(location)"
        // Where the journal cannot be read, `JournalWriter` fails, and says why.
        if let first = try? firstEntry(in: location), first > 1 {
            Console.warn(
                """
                the journal of '\(store)' no longer has its beginning: signals before its entry \(first) are missing
                  why: what a checkpoint has come past is dropped
                  fix: 'journal: { keep: 7d }' in the configuration of that store keeps it for longer
                """)
        }
        let writer = JournalWriter()
        var descriptor = Descriptor(number: writer.begin(location), name: "the journal of '\(store)'")
        descriptor.writer = writer
        return descriptor
    }

    init(number: Int32, name: String, size: Int? = nil, isFile: Bool = false) {
        (self.number, self.name, self.size, self.isFile) = (number, name, size, isFile)
    }

    /// Call it when all was read.
    ///
    /// - Throws: why that was not all.
    func checkThatItEnded() throws {
        guard let reason = writer?.failure.withLock({ $0 }) else { return }
        throw CommandFailure(status: .failed, message: reason)
    }

    static func output(_ path: String) throws -> Descriptor {
        if path == "-" { return try standardOutput() }
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        // Read as well: what a run that was killed left half-written has to be recognized. Not so of a pipe: it would have a reader for ever.
        let number = open(path, (isPipe ? O_WRONLY : O_RDWR) | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw failure("write", path, "check the folder and its permissions") }
        return Descriptor(number: number, name: "'\(path)'")
    }

    /// - Parameter path: nil: standard error.
    static func rejects(_ path: String?) throws -> Descriptor {
        try path.map { try output($0) } ?? Descriptor(number: STDERR_FILENO, name: "standard error")
    }

    /// A file for a trace, which must be new.
    static func trace(_ path: String) throws -> Descriptor {
        let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        guard number >= 0 else { throw failure("write", path, "check the folder and its permissions") }
        var status = stat()
        fstat(number, &status)
        guard status.st_mode & S_IFMT != S_IFREG || status.st_size == 0 else {
            throw CommandFailure(
                status: .wrongUse,
                message: """
                    there is something in '\(path)' already
                      why: a trace is of one run, and begins with it
                      fix: name another file with --trace, or remove that one
                    """)
        }
        return Descriptor(number: number, name: "'\(path)'")
    }

    /// What is written would be lost in a file of the store, or would spoil the configuration.
    ///
    /// - Parameters:
    ///   - written: with the option that names it; nil: standard output.
    ///   - files: their names, by what they are.
    static func refuseSharing(
        _ written: (option: String?, file: Descriptor), with files: [(what: String, path: String)]
    ) throws {
        guard let identity = FileIdentity(written.file.number), identity.isRegular else { return }
        let (subject, fix) =
            written.option.map { ("\($0) names", "name another file with \($0)") }
            ?? ("standard output is", "send it to another file")
        for (what, path) in files where FileIdentity(path) == identity {
            throw CommandFailure(
                status: .wrongUse,
                message: """
                    \(subject) \(what), '\(path)'
                      why: it would be spoilt by what is written
                      fix: \(fix)
                    """)
        }
    }

    /// Two options that name one regular file would read what they write, or mix what they write.
    static func refuseSharing(
        _ one: (option: String, file: Descriptor), _ other: (option: String, file: Descriptor)
    ) throws {
        guard let identity = FileIdentity(one.file.number), identity.isRegular,
            identity == FileIdentity(other.file.number)
        else { return }
        throw CommandFailure(
            status: .wrongUse,
            message: """
                \(one.option) and \(other.option) are one file, \(one.file.name)
                  why: what is written would be mixed with what is read, or with the other output
                  fix: name two files
                """)
    }

    /// - Parameter rejects: where rejected lines are to go.
    static func refuseStandardOutput(_ rejects: String?) throws {
        guard rejects == "-" else { return }
        throw ValidationError(
            """
            --rejects is -
              why: standard output is for decisions and reports, which would be mixed with rejected lines
              fix: name a file, or leave it out: rejected lines go to standard error then
            """)
    }

    /// Standard output for decisions alone: what a plugin prints goes to standard error, not between them.
    private static func standardOutput() throws -> Descriptor {
        let own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        guard own >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
            throw failure("write", "standard output", "do not close it")
        }
        return Descriptor(number: own, name: "standard output")
    }

    private static func failure(_ verb: String, _ path: String, _ fix: String) -> CommandFailure {
        CommandFailure(
            status: .failed,
            message: "cannot \(verb) '\(path)'\n  why: \(String(cString: strerror(errno)))\n  fix: \(fix)")
    }
}

/// Writes the signals of a journal into a pipe, in a thread of its own.
private final class JournalWriter: Sendable {
    /// Why they ended before the journal did.
    let failure = Mutex<String?>(nil)

    /// - Returns: the end of the pipe that they come out of.
    func begin(_ location: StoreLocation) -> Int32 {
        let pipe = Pipe()
        Thread.detachNewThread { [self] in
            do {
                try forEachSignal(in: location) { try pipe.fileHandleForWriting.write(contentsOf: Data($0)) }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
            try? pipe.fileHandleForWriting.close()
        }
        return dup(pipe.fileHandleForReading.fileDescriptor)
    }
}
