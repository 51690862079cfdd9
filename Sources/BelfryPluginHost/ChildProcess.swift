import BelfryModel
import CLinux
import Foundation
import Glibc

/// A child process that is watched until it ends or its time is up.
///
/// It has its own process group, gets nothing on its standard input, and inherits no descriptor. If it is belfry, it ends with this
/// process, whatever a plugin has it do (`endWithParent`). No shell is involved.
package struct ChildProcess {
    package enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
        case overran
        /// Something has stopped it (SIGSTOP), which it would not come back from: it was ended.
        case stopped
        /// It has ended, and how is not known: this process ignores SIGCHLD, or another of its threads has waited for the child.
        case unknown
    }

    package struct Result {
        package let end: End
        /// What it wrote, each up to as many bytes as are wanted; the rest is thrown away.
        package let output: [UInt8]
        package let errors: [UInt8]
    }

    private let process: pid_t
    private let mostOutput: Int
    private var streams: [Stream]

    private struct Stream {
        let descriptor: Int32
        var bytes: [UInt8] = []
        var isOpen = true
    }

    /// Runs this belfry to its end. Nil if it cannot be started; `errno` then says why.
    ///
    /// - Parameter mostOutput: how many bytes of each stream are kept: a plugin may print without an end.
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], deadline: Duration,
        mostOutput: Int = 1 << 20
    ) -> Result? {
        guard var process = ChildProcess(executable, arguments, environment, mostOutput) else { return nil }
        return process.wait(deadline)
    }

    private init?(
        _ executable: String, _ arguments: [String], _ environment: [String: String], _ mostOutput: Int
    ) {
        guard let output = PipeEnds() else { return nil }
        guard let errors = PipeEnds() else {
            output.close()
            return nil
        }
        let told = environment.merging([parentVariable: "\(getpid())"]) { $1 }
        let started = Self.start(
            executable, arguments, told.withoutBacktraces, descriptors: [(output.write, 1), (errors.write, 2)])
        guard let started else {
            output.close()
            errors.close()
            return nil
        }
        (process, self.mostOutput) = (started, mostOutput)
        // `wait` does not rely on seeing the pipes close: a child that another thread starts right now may hold their ends.
        streams = [output, errors].map { pipe in
            close(pipe.write)
            _ = fcntl(pipe.read, F_SETFL, O_NONBLOCK)
            return Stream(descriptor: pipe.read)
        }
    }

    /// Starts this belfry to speak over a socket, which it gets as descriptor 3; its output goes where errors go.
    ///
    /// It has its own process group, and none of the descriptors of this process. Nil if it cannot be started; `errno` then says why.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String], socket: Int32
    ) -> pid_t? {
        start(executable, arguments, environment.withoutBacktraces, descriptors: [(2, 1), (socket, 3)])
    }

    /// The same with the streams of this process, but for the input.
    package static func startBeside(
        _ executable: String, _ arguments: [String], environment: [String: String], input: Int32, socket: Int32
    ) -> pid_t? {
        start(
            executable, arguments, environment.withoutBacktraces,
            descriptors: [(input, 0), (1, 1), (2, 2), (socket, 3)])
    }

    /// Starts a program that is written to and read from, in a folder; its errors go where errors go.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String], in folder: String, input: Int32,
        output: Int32
    ) -> pid_t? {
        start(executable, arguments, environment, in: folder, descriptors: [(input, 0), (output, 1)])
    }

    /// - Parameter descriptors: of this process, and what they are there.
    private static func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String], in folder: String? = nil,
        descriptors: [(own: Int32, child: Int32)]
    ) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        pass(descriptors, with: &actions)
        if let folder { belfry_change_folder(&actions, folder) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setGroupAndSignals(&attributes)
        var child: pid_t = 0
        let status = withCStrings([executable] + arguments) { arguments in
            withCStrings(environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&child, executable, &actions, &attributes, arguments, environment)
            }
        }
        errno = status
        return status == 0 ? child : nil
    }

    /// The child has these descriptors, standard input and errors, and no other.
    private static func pass(
        _ descriptors: [(own: Int32, child: Int32)], with actions: inout posix_spawn_file_actions_t
    ) {
        if !descriptors.contains(where: { $0.child == 0 }) {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for (own, child) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, child) }
        belfry_close_from(&actions, max(3, (descriptors.map(\.child).max() ?? 0) + 1))
    }

    /// A process group of its own; and no signal is blocked, although threads of this process block what is sent to it.
    private static func setGroupAndSignals(_ attributes: inout posix_spawnattr_t) {
        posix_spawnattr_setpgroup(&attributes, 0)
        var (none, stops) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&stops)
        for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&stops, signal) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &stops)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    }

    private mutating func wait(_ deadline: Duration) -> Result {
        let end = ContinuousClock.now + .milliseconds(deadline.milliseconds)
        var stage = Stage.running
        repeat {
            readWhatIsThere()
            stage = self.stage
        } while stage == .running && ContinuousClock.now < end
        // The number of one that is gone may be that of another process by now: what it has started is left alone.
        let status = stage == .gone ? nil : endAndWait()
        drain()
        for stream in streams { close(stream.descriptor) }
        return Result(end: Self.end(at: stage, status), output: streams[0].bytes, errors: streams[1].bytes)
    }

    private static func end(at stage: Stage, _ status: Int32?) -> End {
        switch stage {
        case .running: .overran
        case .stopped: .stopped
        case .zombie, .gone: status.map(end) ?? .unknown
        }
    }

    private enum Stage {
        case running, stopped
        /// It has ended, and nothing has waited for it yet.
        case zombie
        /// It has ended and left nothing to wait for, as where SIGCHLD is ignored.
        case gone
    }

    /// How far the child is; a zombie stays one.
    private var stage: Stage {
        var information = siginfo_t()
        let found = waitid(P_PID, id_t(process), &information, WEXITED | WSTOPPED | WNOHANG | WNOWAIT)
        if found < 0 { return errno == ECHILD ? .gone : .running }
        guard information.si_signo == SIGCHLD else { return .running }
        return Int(information.si_code) == Int(CLD_STOPPED) ? .stopped : .zombie
    }

    /// Ends the child and whatever it started, and waits for it.
    ///
    /// - Returns: its status; nil if that went elsewhere.
    private func endAndWait() -> Int32? {
        // Not yet reaped, so the number still is this child's alone.
        kill(-process, SIGKILL)
        var status: Int32 = 0
        var found = waitpid(process, &status, 0)
        while found < 0, errno == EINTR { found = waitpid(process, &status, 0) }
        return found == process ? status : nil
    }

    /// Waits for output for a moment. The moment bounds how late the end of a child that closed its streams
    /// is seen.
    private mutating func readWhatIsThere() {
        var polled = streams.map {
            pollfd(fd: $0.isOpen ? $0.descriptor : -1, events: Int16(POLLIN), revents: 0)
        }
        guard poll(&polled, nfds_t(polled.count), 5) > 0 else { return }
        for index in streams.indices where polled[index].revents != 0 { readOnce(index) }
    }

    /// What is left in the pipes. They are not waited for: another process may hold the other end.
    private mutating func drain() {
        for index in streams.indices {
            while streams[index].isOpen, readOnce(index) {}
        }
    }

    /// Reads a piece; false if there is none now.
    @discardableResult private mutating func readOnce(_ index: Int) -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = read(streams[index].descriptor, &piece, piece.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return errno == EINTR }
        guard count > 0 else {
            streams[index].isOpen = false
            return false
        }
        let room = mostOutput - streams[index].bytes.count
        streams[index].bytes += piece.prefix(min(count, room))
        return true
    }

    private static func end(_ status: Int32) -> End {
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
}

extension [String: String] {
    /// The environment for a process of belfry that loads plugins: drawing a backtrace takes its time, often more than an answer
    /// may, and a crash must look like one.
    package var withoutBacktraces: Self { merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 } }
}

/// A new pipe. A child that is started gets an end only where it is given one.
package struct PipeEnds {
    package let read: Int32
    package let write: Int32

    /// Nil if the system gives none; `errno` then says why.
    package init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        // A child that another thread starts right now inherits them yet.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (read, write) = (ends[0], ends[1])
    }

    /// Closes both ends, and leaves `errno` as it is.
    package func close() {
        let reason = errno
        for end in [read, write] { Glibc.close(end) }
        errno = reason
    }
}

/// Where a child finds the number of its parent.
private let parentVariable = "BELFRY_PARENT"

/// What a child may take: enough for every check, and less than what harms a machine.
private let mostMemory: rlim_t = 4 << 30

/// Has this process end with the one that runs it as a `ChildProcess`, if one does, and bounds its memory.
package func endWithParent() {
    guard let parent = getenv(parentVariable).flatMap({ pid_t(String(cString: $0)) }) else { return }
    unsetenv(parentVariable)
    if belfry_end_with(parent) == 0 { _exit(1) }
    boundMemory()
}

/// Prepares this process for a plugin that may crash or print: it leaves no core, and what is printed goes to standard error.
///
/// - Parameter output: where its answer is to go.
/// - Returns: a descriptor of the same, which plugins do not know.
package func answerBesidePlugins(_ output: Int32) -> Int32 {
    var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
    let answers = dup(output)
    dup2(STDERR_FILENO, output)
    return answers
}

/// Bounds what this process may write to, until `unboundMemory`.
package func boundMemory() { setMemoryLimit(mostMemory) }
package func unboundMemory() { setMemoryLimit(.max) }

private func setMemoryLimit(_ limit: rlim_t) {
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    var bounds = rlimit()
    getrlimit(resource, &bounds)
    bounds.rlim_cur = min(limit, bounds.rlim_max)
    setrlimit(resource, &bounds)
}

/// A NULL-terminated array of C strings, valid during `body`.
private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
