import BelfryEngine
import BelfryPluginHost
import BelfryRuntime
import CLinux
import Glibc

/// What `belfry __sink` does: it loads one plugin, and has it deliver what comes, a decision per line.
///
/// It speaks as a program of `exec` does. It ends with its input, and so with the process that started it.
public enum SinkProcess {
    public static func run(host: HostServices) -> Never {
        belfry_name_process("belfry sink")
        // How it ends is told by the host.
        belfry_work_is_done()
        boundMemory()
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        setStops(SIG_BLOCK)
        var lines = SinkLines()
        lines.endWithInput()
        serve(&lines, host)
        exit(0)
    }

    private static func serve(_ lines: inout SinkLines, _ host: HostServices) {
        guard let greeting = lines.next().flatMap({ SinkGreeting($0) }) else { return }
        do throws(PluginSinkFailure) {
            let sink = try PluginSink(greeting, host)
            lines.answer("ok")
            while let line = lines.next() { lines.answer(interruptible { sink.deliver(line) }) }
            sink.destroy()
        } catch {
            lines.answer("fail \(error.why)")
        }
    }

    /// Only what is under way is ended by a signal: a plugin that is not at work gets its time to let go of everything.
    private static func interruptible<Result>(_ body: () -> Result) -> Result {
        setStops(SIG_UNBLOCK)
        defer { setStops(SIG_BLOCK) }
        return body()
    }

    private static func setStops(_ how: Int32) {
        var stops = sigset_t()
        sigemptyset(&stops)
        sigaddset(&stops, SIGTERM)
        pthread_sigmask(how, &stops, nil)
    }
}

/// What comes from the host, and what goes back, out of reach of what a plugin reads and prints.
private struct SinkLines {
    private let input: Int32
    private let output: Int32
    private var buffer: [UInt8] = []

    init() {
        input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let nothing = open("/dev/null", O_RDONLY)
        dup2(nothing, STDIN_FILENO)
        close(nothing)
        dup2(STDERR_FILENO, STDOUT_FILENO)
    }

    /// Nil at the end.
    mutating func next() -> [UInt8]? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return Array(buffer[..<end])
            }
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = read(input, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            buffer += piece.prefix(count)
        }
    }

    func answer(_ text: String) {
        // A sentence may have ends of lines in it.
        let line = text.utf8.map { $0 < 0x20 ? UInt8(ascii: " ") : $0 } + [UInt8(ascii: "\n")]
        if !writeAll(line, to: output) { exit(0) }
    }

    /// Ends the process a second after its input has, whatever a plugin is doing then.
    func endWithInput() {
        let input = input
        _ = try? startThread {
            var polled = pollfd(fd: input, events: 0, revents: 0)
            while poll(&polled, 1, -1) <= 0 {}
            usleep(1_000_000)
            _exit(1)
        }
    }
}
