import Foundation

/// A `belfry run` that is still going on: its input is open, and it can be killed.
final class LiveCommand {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors: URL

    init(in place: Workplace, _ arguments: String...) throws {
        errors = place.file("errors-\(UUID().uuidString)")
        try Data().write(to: errors)
        process.executableURL = Command.folder.appending(path: "belfry")
        process.arguments = ["run"] + arguments
        process.currentDirectoryURL = place.url
        process.environment = ["XDG_CACHE_HOME": Command.cache.path, "PATH": "/usr/bin:/bin"]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    deinit { if process.isRunning { kill() } }

    func send(_ lines: [String]) throws { try input.fileHandleForWriting.write(contentsOf: Data(lines.asFile.utf8)) }

    /// Waits for its next decisions.
    ///
    /// - Returns: what it wrote, or nothing if it has ended.
    func decisions() -> String { String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) }

    /// Kills it without a warning.
    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks it to stop, and waits for its end.
    func stop() throws -> (status: Int32, errors: String) {
        Glibc.kill(process.processIdentifier, SIGTERM)
        return try end()
    }

    /// Ends its input and waits for its end.
    func finish() throws -> (status: Int32, errors: String) {
        try input.fileHandleForWriting.close()
        return try end()
    }

    private func end() throws -> (status: Int32, errors: String) {
        process.waitUntilExit()
        // A death by signal is no exit status.
        let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
        return (status, try String(contentsOf: errors, encoding: .utf8))
    }
}
