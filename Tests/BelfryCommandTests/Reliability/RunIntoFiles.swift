import Foundation
import Testing

/// A `belfry run` that is under way: signals are sent to it one by one, and it can be asked to stop.
final class RunIntoFiles {
    private let place: Workplace
    private let process = Process()
    private let input = Pipe()

    /// Standard output and standard error go to the files `out` and `err`.
    init(in place: Workplace, _ arguments: String...) throws {
        self.place = place
        for name in ["out", "err"] { try place.write("", to: name) }
        process.executableURL = Command.folder.appending(path: "belfry")
        process.arguments = ["run"] + arguments
        process.currentDirectoryURL = place.url
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: place.file("out"))
        process.standardError = try FileHandle(forWritingTo: place.file("err"))
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var number: Int32 { process.processIdentifier }

    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// Waits until the file of that name holds that text.
    func wait(for text: String, in name: String) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !((try? place.text(of: name)) ?? "").contains(text) {
            let isOver = !process.isRunning || .now > deadline
            try #require(!isOver, "no '\(text)' in \(name)")
            usleep(2000)
        }
    }

    /// - Returns: the exit status; below zero for a death by signal.
    func stop(_ signals: Int32...) throws -> Int32 {
        for signal in signals { kill(number, signal) }
        return end()
    }

    /// Lets it come to its end.
    func finish() throws -> Int32 {
        try input.fileHandleForWriting.close()
        return end()
    }

    private func end() -> Int32 {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    var errors: String { get throws { try place.text(of: "err") } }
}
