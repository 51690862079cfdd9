import BelfryModel
import BelfryPluginHost
import Glibc
import Synchronization

/// A program that is given a decision per line on its standard input, and answers each with a line: `ok`, `retry WHY` or `drop WHY`.
///
/// It is started with the first decision, and again when it has ended; it ends when its input does. One decision at a time.
final class Program: SinkTarget {
    let address: String
    private let command: [String]
    private let folder: String
    private let timeout: Duration
    private let running = Mutex<Running?>(nil)

    private struct Running {
        var process: pid_t
        /// What is written to, and what is read from.
        var (input, output): (Int32, Int32)
    }

    /// - Parameters:
    ///   - command: a program, relative to the folder if it has a slash, else looked for in PATH; and its arguments.
    ///   - folder: where it runs.
    init(_ command: [String], in folder: String, timeout: Duration) {
        (self.command, self.folder, self.timeout) = (command, folder, timeout)
        address = command.joined(separator: " ")
    }

    deinit { end() }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        do throws(Trouble) {
            let running = try current()
            try write(item.line + [UInt8(ascii: "\n")], to: running)
            done(SinkOutcome(acknowledgement: try readLine(from: running)))
        } catch {
            end()
            done(.failed(error.why))
        }
    }

    private struct Trouble: Error {
        let why: String
    }

    // MARK: The process

    private func current() throws(Trouble) -> Running {
        if let running = running.withLock({ $0 }) { return running }
        let started = try start()
        running.withLock { $0 = started }
        return started
    }

    private func start() throws(Trouble) -> Running {
        var (input, output): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&input) == 0, pipe(&output) == 0 else { throw Trouble(why: reason) }
        for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let process = ChildProcess.start(
            executable, Array(command.dropFirst()), in: folder, input: input[0], output: output[1])
        let why = reason
        Glibc.close(input[0])
        Glibc.close(output[1])
        guard let process else {
            Glibc.close(input[1])
            Glibc.close(output[0])
            throw Trouble(why: "cannot be started: \(why)")
        }
        _ = fcntl(input[1], F_SETFL, O_NONBLOCK)
        return Running(process: process, input: input[1], output: output[0])
    }

    private var reason: String { String(cString: strerror(errno)) }

    /// Where the program is.
    private var executable: String {
        let name = command[0]
        if name.hasPrefix("/") { return name }
        if name.contains("/") { return "\(folder)/\(name)" }
        let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let places = folders.split(separator: ":").map { "\($0)/\(name)" }
        return places.first { access($0, X_OK) == 0 } ?? name
    }

    /// Lets it end by itself, and sees to it that it does.
    private func end() {
        guard
            let ended = running.withLock({ running in
                defer { running = nil }
                return running
            })
        else { return }
        Glibc.close(ended.input)
        Glibc.close(ended.output)
        kill(-ended.process, SIGTERM)
        for _ in 0..<100 {
            if waitpid(ended.process, nil, WNOHANG) != 0 { return }
            usleep(10_000)
        }
        kill(-ended.process, SIGKILL)
        waitpid(ended.process, nil, 0)
    }

    /// Any thread may call: what is under way fails.
    func close() {
        if let running = running.withLock({ $0 }) { kill(-running.process, SIGTERM) }
    }

    // MARK: Lines

    private func write(_ line: [UInt8], to running: Running) throws(Trouble) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(running.input, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait(running.input, POLLOUT)
            } else if errno != EINTR {
                throw Trouble(why: "has ended")
            }
        }
    }

    /// A byte at a time, and none beyond the line: it answers each decision with one.
    private func readLine(from running: Running) throws(Trouble) -> String {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while true {
            try wait(running.output, POLLIN)
            guard read(running.output, &byte, 1) == 1 else { throw Trouble(why: "has ended before it had answered") }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            if line.count < 1000 { line.append(byte) }
        }
    }

    private func wait(_ descriptor: Int32, _ events: Int32) throws(Trouble) {
        var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&waiting, 1, Int32(clamping: timeout.milliseconds))
            if count > 0 { return }
            if count == 0 { throw Trouble(why: "does not answer within \(timeout)") }
            if errno != EINTR { throw Trouble(why: reason) }
        }
    }
}

extension SinkOutcome {
    /// A line of a program.
    init(acknowledgement line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        let why = words.count > 1 ? "says: \(words[1])" : "says no more"
        switch words.first {
        case "ok": self = .taken
        case "retry": self = .refused(why)
        case "drop": self = .dropped(why)
        default: self = .failed("answered '\(line.prefix(200))'; expected ok, retry WHY or drop WHY")
        }
    }
}
