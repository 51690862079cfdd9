import BelfryEngine
import BelfryModel
import CLinux
import Glibc

/// What a `SupervisedProcess` does so that it can be begun again from shortly before: it leaves copies of itself behind, which wait.
///
/// It has one thread, as a process that forks has to. A copy is made before each piece that may be the last one: when input was read, which
/// another process could not read again; behind a call that one has died of; and where the last copy is some time ago.
public final class Supervision {
    private var socket = FrameSocket(3)
    private let note: SharedNote
    private let host = getppid()
    /// Is written when a copy is there.
    private let bell = eventfd(0, Int32(EFD_CLOEXEC))
    private var faults: [PlannedFault] = []
    /// How many signals and timers there were, of all engines.
    private var pieces = 0
    private var copied = MonotonicTime.now
    private var hasFinished = false
    /// Lets what was said so far leave, before each copy: it would be said twice.
    public var settle: () throws -> Void = {}

    /// So much is decided again at most.
    private static let every = Duration.milliseconds(100)

    /// - Throws: if this process was not started by a `SupervisedProcess`.
    public init() throws {
        // How it ends is told by its parent.
        belfry_work_is_done()
        guard belfry_end_with(host) != 0, let descriptor = socket.receive(within: .seconds(10))?.descriptors.first
        else {
            throw SystemFailure("speak with the process that watches this one")
        }
        defer { close(descriptor) }
        note = try SharedNote(descriptor)
    }

    /// Watches what an engine decides.
    ///
    /// - Returns: what is to be called before each signal and timer.
    public func watch(_ engine: Engine) -> (_ subject: String, _ signal: String) throws -> Void {
        engine.noteCalls(at: note.pointer)
        engine.checkCalls { [socket, note] in
            // A plugin that closed what is not its own must not go on.
            guard fcntl(socket.descriptor, F_GETFD) < 0 else { return }
            note.pointer.pointee.endItself(.deaf)
            _exit(1)
        }
        return { [self] _, _ in
            pieces += 1
            if isCopyDue { try makeCopy() }
            engine.beginPiece(pieces, faults)
        }
    }

    private var isCopyDue: Bool {
        if let fault = faults.first { return fault.piece.map { pieces > Int($0) } ?? false }
        return copied + Self.every < .now
    }

    /// Ends this process if a plugin has forked it, and not this.
    public func endIfForked() { socket.endIfForked() }

    /// Leaves a copy of this process behind, and goes on. When it is the copy that goes on, it does the same.
    public func makeCopy() throws {
        endIfForked()
        try settle()
        fflush(nil)
        faults.removeAll { Int($0.piece ?? 0) < pieces }
        while true {
            note.inherit(true)
            let forked = belfry_fork_for(host)
            note.inherit(false)
            if forked < 0 { throw SystemFailure("fork a process for plugins") }
            if forked > 0 { break }
            waitForTurn()
        }
        var polled = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 10_000) > 0 else { throw SystemFailure("fork a process for plugins") }
        var count: eventfd_t = 0
        eventfd_read(bell, &count)
        copied = .now
    }

    /// In a copy: until the one at work has died.
    private func waitForTurn() {
        socket = FrameSocket(3)
        say(.copy) { $0.number(getpid()) }
        eventfd_write(bell, 1)
        while socket.addressee != getpid() { usleep(1000) }
        guard let frame = socket.receive() else { _exit(1) }
        var reader = MessageReader(frame.bytes)
        _ = try? reader.number()
        let fault = try? reader.optional { reader throws(MessageReader.Nonsense) in try reader.fault() }
        if let fault { faults.append(fault) }
    }

    /// Says that all is decided, and waits until it may be told. From here on no plugin is called, and whatever ends the process ends it
    /// rightly.
    public func finish() {
        if hasFinished { return }
        hasFinished = true
        say(.done)
        if socket.receive() == nil { _exit(1) }
    }

    private func say(_ word: SupervisedProcess.Word, _ more: (inout MessageWriter) -> Void = { _ in }) {
        var message = MessageWriter()
        message.number(word.rawValue)
        more(&message)
        _ = socket.send(message)
    }
}

extension FrameSocket {
    /// Waits for a message, and says to which process it is: its first number. Ends this process when the socket ends.
    fileprivate var addressee: pid_t? {
        var words: (length: Int64, number: Int64) = (0, 0)
        let count = withUnsafeMutableBytes(of: &words) {
            recv(descriptor, $0.baseAddress!, $0.count, Int32(MSG_PEEK | MSG_WAITALL))
        }
        if count <= 0, errno != EINTR { _exit(1) }
        return count == 16 ? pid_t(truncatingIfNeeded: Int64(littleEndian: words.number)) : nil
    }
}
