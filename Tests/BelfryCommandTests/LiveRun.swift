import Foundation

/// A `belfry run` that goes on: its input is held open, and what it says is read as it says it.
final class LiveRun {
    private let process = Process()
    private let input = Pipe()
    private let decisions: LiveLines
    private let messages: LiveLines

    /// - Parameter arguments: after `run`.
    init(in place: Workplace, _ arguments: String...) throws {
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = Command.folder.appending(path: "belfry")
        process.arguments = ["run"] + arguments
        process.currentDirectoryURL = place.url
        process.environment = ["XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        (decisions, messages) = (LiveLines(output.fileHandleForReading), LiveLines(errors.fileHandleForReading))
    }

    deinit { kill() }

    var identifier: Int32 { process.processIdentifier }

    func send(_ signals: [String]) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(signals.asFile.utf8))
    }

    /// What is decided of one signal: a line in short, as in a `Story`, for each decision.
    func tell(_ time: String, _ what: String, decisions count: Int = 1) throws -> [String] {
        try send([Story.signal(time, what)])
        return try (0..<count).map { _ in Story.brief(try JSON(nextDecision())) }
    }

    func nextDecision() throws -> String {
        do {
            return try decisions.next()
        } catch {
            throw LiveLines.Silence(soFar: "no decision, but it said:\n" + messages.rest())
        }
    }

    /// Everything it says, up to a line that begins like this.
    @discardableResult func hear(_ beginning: String) throws -> String {
        var lines: [String] = []
        repeat {
            do {
                lines.append(try messages.next())
            } catch {
                throw LiveLines.Silence(soFar: lines.joined(separator: "\n") + messages.rest())
            }
        } while lines.last?.hasPrefix(beginning) != true
        return lines.joined(separator: "\n")
    }

    /// What it has said since then.
    func unheard() -> String { messages.rest() }

    func endInput() throws { try input.fileHandleForWriting.close() }

    /// Ends its input, and waits for its end.
    func end() throws -> Int32 {
        try endInput()
        return status()
    }

    /// Asks it to stop, and waits for its end.
    ///
    /// - Returns: the exit status; below zero for a death by signal.
    func stop(_ signals: Int32...) -> Int32 {
        for signal in signals.isEmpty ? [SIGTERM] : signals { Glibc.kill(identifier, signal) }
        return status()
    }

    private func status() -> Int32 {
        process.end()
        // A death by signal is no exit status.
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Without a warning.
    func kill() {
        process.end(within: 0)
    }
}

/// Lines that another process writes into a pipe.
final class LiveLines {
    private let file: FileHandle
    private let lineEnd: UInt8
    private var bytes: [UInt8] = []

    /// How long a line may take on a machine that is busy with other things.
    private static let patience: Int32 = 60_000

    struct Silence: Error { let soFar: String }

    init(_ file: FileHandle, lineEnd: UInt8 = 0x0A) { (self.file, self.lineEnd) = (file, lineEnd) }

    /// Waits for it.
    func next() throws -> String {
        while true {
            if let end = bytes.firstIndex(of: lineEnd) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            try readMore()
        }
    }

    /// What is there by now.
    func rest() -> String {
        while (try? readMore(patience: 0)) != nil {}
        return String(decoding: bytes, as: UTF8.self)
    }

    private func readMore(patience: Int32 = LiveLines.patience) throws {
        var polled = pollfd(fd: file.fileDescriptor, events: Int16(POLLIN), revents: 0)
        var piece = [UInt8](repeating: 0, count: 65_536)
        let isReady = poll(&polled, 1, patience) > 0
        let count = isReady ? read(file.fileDescriptor, &piece, piece.count) : 0
        guard count > 0 else { throw Silence(soFar: String(decoding: bytes, as: UTF8.self)) }
        bytes += piece[..<count]
    }
}
