import Foundation

/// A `belfry run` that is fed as fast as it eats, and must not stop eating.
final class FedRun {
    private let place: Workplace
    private let process = Process()
    private let input = Pipe()
    /// What was sent last, to find what it died of.
    private var tail: [[UInt8]] = []

    init(_ place: Workplace, _ arguments: String...) throws {
        self.place = place
        try place.write("", to: "err")
        process.executableURL = Command.folder.appending(path: "belfry")
        process.arguments = ["run"] + arguments
        process.currentDirectoryURL = place.url
        process.standardInput = input
        process.standardError = try FileHandle(forWritingTo: place.file("err"))
        try process.run()
        try input.fileHandleForReading.close()
        let descriptor = input.fileHandleForWriting.fileDescriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Sends lines; fails when they are not taken for a minute.
    func send(_ bytes: [UInt8]) throws {
        tail = tail.suffix(20) + [bytes]
        var rest = bytes[...]
        while !rest.isEmpty {
            var poll = pollfd(fd: input.fileHandleForWriting.fileDescriptor, events: Int16(POLLOUT), revents: 0)
            let isReady = Glibc.poll(&poll, 1, 60_000) == 1 && poll.revents & Int16(POLLERR) == 0
            guard isReady else { throw failure(process.isRunning ? "hangs" : "died") }
            let count = rest.withUnsafeBytes { write(poll.fd, $0.baseAddress, min($0.count, 1 << 16)) }
            guard count > 0 else { throw failure("died") }
            rest = rest.dropFirst(count)
        }
    }

    /// - Returns: the summary.
    func finish() throws -> JSON {
        try input.fileHandleForWriting.close()
        let deadline = ContinuousClock.now + .seconds(120)
        while process.isRunning {
            guard .now < deadline else { throw failure("hangs at the end") }
            peak = max(peak, Memory.peak(of: "\(process.processIdentifier)"))
            usleep(1000)
        }
        let hasEnded = process.terminationReason == .exit && [0, 3].contains(process.terminationStatus)
        guard hasEnded else { throw failure("died at the end") }
        return try JSON(errors.split(separator: "\n").last.map(String.init) ?? "")
    }

    /// In bytes.
    var memory: Int { Memory.resident(of: "\(process.processIdentifier)") }
    /// At most, until it ended.
    private(set) var peak = 0

    private var errors: String { (try? place.text(of: "err")) ?? "" }

    private func failure(_ what: String) -> Failure {
        let file = FileManager.default.temporaryDirectory.appending(path: "belfry-fuzz-\(UUID().uuidString).jsonl")
        try? Data(tail.joined()).write(to: file)
        return Failure(
            description: "belfry \(what); the last lines it was sent are in \(file.path)\n\(errors.suffix(2000))")
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

/// What Linux says of a process, in bytes.
enum Memory {
    static func resident(of process: String) -> Int { value("VmRSS:", of: process) }
    static func peak(of process: String) -> Int { value("VmHWM:", of: process) }

    private static func value(_ name: String, of process: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
