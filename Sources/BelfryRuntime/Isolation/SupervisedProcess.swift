import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CLinux
import Glibc

/// A process that works with plugins by itself, such as a simulation, and is watched from here.
///
/// From time to time it leaves a copy of itself behind, which waits (`Supervision`). When it dies of a call of a plugin, or is ended because
/// that takes too much, the last copy goes on, and exactly that call answers fault.
public struct SupervisedProcess {
    private let socket: FrameSocket
    private let note: SharedNote
    private let limits: Configuration.Limits
    /// The one at work.
    private var process: pid_t
    private var watch: CallWatch
    /// The copies, the last one last.
    private var copies: [pid_t] = []
    private var isDone = false
    /// The call in which a kill from outside ended the process last: the second time it is taken for a crash.
    private var killed: CallNote?
    /// How often in a row the process ended without a call that is to blame.
    private var unexplained = 0

    /// A plugin that hangs before the work has begun is not waited for longer.
    private static let patience = Duration.seconds(60)

    /// The work may take so much processor time without a call of a plugin, a signal or a copy. It may wait for its input.
    private static let betweenCalls = CallWatch.Patience(time: .seconds(10), countsSleep: false)

    /// The most of these: kills from outside, and calls that returned just before the process was ended for them.
    private static let mostUnexplained = 20

    /// What the process says.
    enum Word: Int {
        /// A copy is there: its number follows.
        case copy
        /// All is decided: it waits for an answer, and calls no plugin any more.
        case done
    }

    /// Runs this belfry with these arguments, with the streams of this process, until it has done its work.
    ///
    /// - Parameters:
    ///   - input: its standard input.
    ///   - limits: of one call.
    ///   - check: throws if nothing may come of what was decided.
    /// - Returns: the status that it ended with.
    /// - Throws: why it could not go on, or what `check` throws.
    public static func run(
        _ executable: String, _ arguments: [String], environment: [String: String], input: Int32,
        limits: Configuration.Limits, check: () throws -> Void
    ) throws -> Int32 {
        belfry_adopt_orphans()
        let (note, descriptor) = try SharedNote.make()
        defer { close(descriptor) }
        let (socket, other) = try FrameSocket.pair()
        defer { socket.close() }
        let started = ChildProcess.startBeside(
            executable, arguments, environment: Orphans.marked(environment), input: input, socket: other[0])
        close(other[0])
        guard let started else { throw SystemFailure("start '\(executable)' for plugins") }
        guard socket.send(MessageWriter(), [descriptor]) else {
            throw SystemFailure("speak with a process for plugins")
        }
        var process = SupervisedProcess(socket, note, started, limits)
        do { return try process.follow(check) } catch {
            process.end()
            throw error
        }
    }

    private init(_ socket: FrameSocket, _ note: SharedNote, _ process: pid_t, _ limits: Configuration.Limits) {
        (self.socket, self.note, self.process, self.limits) = (socket, note, process, limits)
        watch = CallWatch(.process(process), limits)
    }

    private mutating func follow(_ check: () throws -> Void) throws -> Int32 {
        while true {
            let (end, excess) = try waitForEnd(check)
            if isDone {
                guard case .exit(let status) = end else { throw SupervisionFailure.died(end) }
                return status
            }
            try goOn(after: ShardDeath(end: end, note: note.pointer.pointee, endedFor: excess, limits: limits))
        }
    }

    /// Waits until the process has ended, and looks at what it does meanwhile.
    ///
    /// - Returns: also what there was too much of.
    private mutating func waitForEnd(_ check: () throws -> Void) throws -> (ProcessEnd, CallWatch.Excess?) {
        let end = belfry_process_descriptor(process)
        guard end >= 0 else { throw SystemFailure("watch a process for plugins") }
        defer { close(end) }
        let deadline = MonotonicTime.now + Self.patience
        var excess: CallWatch.Excess?
        var isDeaf = false
        while true {
            var polls = [
                pollfd(fd: isDeaf ? -1 : socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end, events: Int16(POLLIN), revents: 0),
            ]
            poll(&polls, 2, CallWatch.every)
            if polls[0].revents != 0 {
                isDeaf = try !hear(check)
            } else if polls[1].revents != 0 {
                let end = ProcessEnd.wait(for: process) ?? .exit(0)
                process = 0
                return (end, excess)
            } else if excess == nil, !isDone {
                let isLate = copies.isEmpty && deadline < .now
                excess = isLate ? CallWatch.Excess(cause: .timeout) : watch.look(note.pointer.pointee)
                if excess != nil { kill(process, SIGKILL) }
            }
        }
    }

    /// - Returns: whether there was a word.
    private mutating func hear(_ check: () throws -> Void) throws -> Bool {
        guard let frame = socket.receive(within: .seconds(10)) else { return false }
        do {
            var reader = MessageReader(frame.bytes)
            switch try Word(rawValue: reader.number()) {
            case .copy: take(copy: pid_t(truncatingIfNeeded: try reader.number()))
            case .done:
                endCopies()
                isDone = true
                try check()
                _ = socket.send(MessageWriter())
            case nil: throw MessageReader.Nonsense()
            }
        } catch is MessageReader.Nonsense {
            throw SupervisionFailure.nonsense
        }
        return true
    }

    private mutating func take(copy: pid_t) {
        endCopies()
        copies = [copy]
        // From the first one on it decides.
        watch.patience = Self.betweenCalls
        watch.noteProgress()
        // What the work itself takes is not the plugin's: it has the limit on top of that.
        watch.limits.memory.bytes = limits.memory.bytes + watch.memory
    }

    private mutating func endCopies() {
        for copy in copies {
            kill(copy, SIGKILL)
            _ = ProcessEnd.wait(for: copy)
        }
        copies = []
    }

    private mutating func end() {
        if process > 0 { copies.append(process) }
        endCopies()
    }

    /// Has the last copy go on, without the call that the process died of.
    private mutating func goOn(after death: ShardDeath) throws {
        guard let copy = copies.popLast() else {
            throw ZygoteRefusal.ended(death.endedFor == nil ? death.end : .overran)
        }
        process = copy
        let isStranger = death.isByStranger && !death.note.isSameCall(as: killed)
        let fault = isStranger ? nil : death.fault
        unexplained = fault == nil ? unexplained + 1 : 0
        if fault == nil {
            guard death.isByStranger, unexplained <= Self.mostUnexplained else {
                throw SupervisionFailure.died(death.isStall ? .overran : death.end)
            }
        }
        killed = death.note
        note.pointer.initialize(to: CallNote())
        var message = MessageWriter()
        message.number(copy)
        message.optional(fault) { $0.fault($1) }
        guard socket.send(message) else { throw SupervisionFailure.died(death.end) }
        watch = CallWatch(.process(copy), limits, patience: Self.betweenCalls)
        watch.limits.memory.bytes += watch.memory
    }
}

extension CallNote {
    fileprivate func isSameCall(as other: CallNote?) -> Bool {
        current != nil && other?.piece == piece && other?.ordinal == ordinal
    }
}

/// Why a process that works with plugins could not go on.
struct SupervisionFailure: Error, CustomStringConvertible {
    let description: String

    static func died(_ end: ProcessEnd) -> SupervisionFailure {
        SupervisionFailure(
            description: "the process that works with the plugins \(end.words), outside of every call of one\n  \(fix)")
    }

    static let nonsense = SupervisionFailure(
        description: """
            the process that works with the plugins says what makes no sense
              why: most likely a plugin writes where it may not
              \(fix)
            """)

    private static let fix = """
        fix: 'belfry plugins check FILE' looks at a plugin alone; 'isolation: thread' in the configuration does without such \
        processes
        """
}
