import BelfryModel
import BelfryPluginHost
import CLinux
import Dispatch
import Glibc
import Synchronization

/// A program that is given a decision per line on its standard input, and answers each with a line: `ok`, `retry WHY`, `drop WHY`,
/// `fail WHY` or `stop WHY`.
///
/// It is started with the first decision, and again when it has ended; it ends when its input does. One decision at a time.
final class Program: SinkTarget {
    private let launch: Launch
    private let timeout: Duration
    private let running = Mutex<Running?>(nil)
    /// Readable once `close` was called. If the system gave none it is -1, which `poll` passes over.
    private let closing = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))

    private struct Running {
        var process: pid_t
        /// What is written to, and what is read from.
        var (input, output): (Int32, Int32)
    }

    init(_ launch: Launch, timeout: Duration) { (self.launch, self.timeout) = (launch, timeout) }

    var address: String { launch.address }

    deinit {
        end()
        Glibc.close(closing)
    }

    func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
        do throws(Trouble) {
            done(SinkOutcome(acknowledgement: try answer(to: item.line, of: try current())))
        } catch {
            let status = end()
            done(.failed(error.isEnd ? launch.words(status) ?? error.why : error.why))
        }
    }

    private struct Trouble: Error {
        let why: String
        /// It is not there any more.
        var isEnd = false
    }

    // MARK: The process

    private func current() throws(Trouble) -> Running {
        if let running = running.withLock({ $0 }) { return running }
        let started = try start()
        running.withLock { $0 = started }
        guard let greeting = launch.greeting else { return started }
        let answer = try answer(to: greeting, of: started)
        if answer == "ok" { return started }
        throw Trouble(why: "cannot begin: \(answer.drop { $0 != " " }.dropFirst())")
    }

    private func start() throws(Trouble) -> Running {
        guard let input = PipeEnds() else { throw Trouble(why: reason) }
        guard let output = PipeEnds() else {
            input.close()
            throw Trouble(why: reason)
        }
        let process = ChildProcess.start(
            launch.executable, launch.arguments, environment: launch.environment, in: launch.folder, input: input.read,
            output: output.write)
        guard let process else {
            input.close()
            output.close()
            throw Trouble(why: "cannot be started: \(reason)")
        }
        Glibc.close(input.read)
        Glibc.close(output.write)
        _ = fcntl(input.write, F_SETFL, O_NONBLOCK)
        return Running(process: process, input: input.write, output: output.read)
    }

    private var reason: String { String(cString: strerror(errno)) }

    /// Lets it end by itself, and sees to it that it does.
    ///
    /// - Returns: how it ended, as `waitpid` has it; nil if there was none.
    @discardableResult private func end() -> Int32? {
        guard
            let ended = running.withLock({ running in
                defer { running = nil }
                return running
            })
        else { return nil }
        Glibc.close(ended.input)
        Glibc.close(ended.output)
        kill(-ended.process, SIGTERM)
        var status: Int32 = 0
        for _ in 0..<100 {
            if waitpid(ended.process, &status, WNOHANG) != 0 { return status }
            usleep(10_000)
        }
        kill(-ended.process, SIGKILL)
        waitpid(ended.process, &status, 0)
        return status
    }

    /// Any thread may call: what is under way fails.
    func close() {
        eventfd_write(closing, 1)
        guard let process = running.withLock({ $0?.process }) else { return }
        signal(SIGTERM, to: process)
        // A program that ignores that would hold up a reload, and the end of the service.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in self?.signal(SIGKILL, to: process) }
    }

    /// Nothing happens if it has ended: its number may be that of another process by now.
    private func signal(_ number: Int32, to process: pid_t) {
        running.withLock { if $0?.process == process { kill(-process, number) } }
    }

    // MARK: Lines

    private func answer(to line: [UInt8], of running: Running) throws(Trouble) -> String {
        try expectSilence(of: running)
        var deadline = Deadline(in: timeout)
        try write(line + [UInt8(ascii: "\n")], to: running, by: &deadline)
        return try readLine(from: running, by: &deadline)
    }

    /// A line that answers no decision would be taken for the answer to the next one.
    private func expectSilence(of running: Running) throws(Trouble) {
        var output = pollfd(fd: running.output, events: Int16(POLLIN), revents: 0)
        guard poll(&output, 1, 0) > 0, output.revents & Int16(POLLIN) != 0 else { return }
        throw Trouble(why: "answered more than once; expected one line for each decision")
    }

    private func write(_ line: [UInt8], to running: Running, by deadline: inout Deadline) throws(Trouble) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(running.input, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait(running.input, POLLOUT, by: &deadline)
            } else if errno != EINTR {
                throw Trouble(why: "has ended", isEnd: true)
            }
        }
    }

    /// A byte at a time, and none beyond the line: it answers each decision with one.
    private func readLine(from running: Running, by deadline: inout Deadline) throws(Trouble) -> String {
        var (line, byte): ([UInt8], UInt8) = ([], 0)
        while true {
            try wait(running.output, POLLIN, by: &deadline)
            guard read(running.output, &byte, 1) == 1 else {
                throw Trouble(why: "has ended before it had answered", isEnd: true)
            }
            if byte == UInt8(ascii: "\n") {
                // Some runtimes end a line with both, as Windows and network protocols do.
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            if line.count < Self.longestLine {
                line.append(byte)
            } else if launch.greeting == nil {
                throw Trouble(why: "answered with a line of more than \(Self.longestLine) bytes")
            }
            // A plugin may say why as long as it likes: its process is Belfry's own, and the sentence is cut.
        }
    }

    /// In bytes.
    private static let longestLine = 1000

    private func wait(_ descriptor: Int32, _ events: Int32, by deadline: inout Deadline) throws(Trouble) {
        var polled = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: deadline.isClosing ? -1 : closing, events: Int16(POLLIN), revents: 0),
        ]
        while let milliseconds = deadline.milliseconds {
            if poll(&polled, nfds_t(polled.count), milliseconds) < 0 {
                if errno == EINTR { continue }
                throw Trouble(why: reason)
            }
            if polled[1].revents != 0 {
                deadline.close()
                polled[1].fd = -1
            }
            if polled[0].revents != 0 { return }
        }
        throw Trouble(
            why: deadline.isClosing ? "was stopped before it had answered" : "does not answer within \(timeout)")
    }

    /// When an answer has to be there as a whole, however it trickles in.
    private struct Deadline {
        private var nanoseconds: UInt64
        private(set) var isClosing = false

        init(in duration: Duration) { nanoseconds = Self.nanoseconds(in: duration) }

        /// How much is left, at least 1; nil if nothing is.
        var milliseconds: Int32? {
            let now = DispatchTime.now().uptimeNanoseconds
            return nanoseconds > now ? Int32(clamping: (nanoseconds - now + 999_999) / 1_000_000) : nil
        }

        /// A program that is asked to end may still answer. One that does not is killed after a second, and its output
        /// then ends; but what it has started may hold that open for ever, so no more than a bit longer is waited.
        mutating func close() {
            isClosing = true
            nanoseconds = min(nanoseconds, Self.nanoseconds(in: .milliseconds(1_200)))
        }

        private static func nanoseconds(in duration: Duration) -> UInt64 {
            // No more than `poll` can wait for.
            let milliseconds = UInt64(min(max(0, duration.milliseconds), Int64(Int32.max)))
            return DispatchTime.now().uptimeNanoseconds + milliseconds * 1_000_000
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
        case "fail": self = .failed(why)
        case "stop": self = .gone(why)
        default:
            self = .failed(
                "answered '\(line.prefix(200))'; expected ok, retry WHY, drop WHY, fail WHY or stop WHY")
        }
    }
}
