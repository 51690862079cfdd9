import BelfryEngine
import CLinux
import Glibc

/// What the host and a shard's process share: memory for what they say to each other, and a socket that wakes the one that sleeps.
///
/// No side looks into a piece of memory while the other one may write there, but for the note and bells. A plugin may all the same: what is
/// checked is copied first.
final class ShardChannel {
    let socket: Int32
    private let memory: UnsafeMutableRawPointer
    private var outgoing: ShardBells
    private var incoming: ShardBells

    /// A piece of the shared memory, in which one message lies.
    enum Piece: Int, CaseIterable {
        case request, nextRequest, answer, nextAnswer, question, records

        fileprivate var offset: Int { ShardChannel.noteSize + rawValue * ShardChannel.pieceSize }
    }

    /// That there is a message.
    struct Bell {
        var kind: Kind
        var length: Int

        enum Kind: UInt8 {
            /// From the process: it has begun, and this is its number in place of a length.
            case ready
            /// To the process: something to do.
            case request
            /// From the process: what came of it.
            case answer
            /// From the process: it needs records. To the process: there they are.
            case question, records
        }
    }

    private static let noteSize = 4096
    /// Behind the note: those to the process, and those from it.
    private static let bellsOffset = 256
    /// Memory that is not written to is not there: this is only an address.
    private static let pieceSize = 1 << 30
    private static let size = noteSize + Piece.allCases.count * pieceSize

    /// - Parameter isHost: which side it is.
    /// - Throws: `SystemFailure`.
    init(socket: Int32, memory descriptor: Int32, isHost: Bool = false) throws(SystemFailure) {
        self.socket = socket
        let flags = MAP_SHARED | MAP_NORESERVE
        guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, flags, descriptor, 0), memory != MAP_FAILED
        else { throw SystemFailure("share memory with a shard's process") }
        self.memory = memory
        // A copy of the process that a plugin forks would speak here, too: it ends with its next word.
        madvise(memory, Self.size, MADV_DONTFORK)
        let bells = [0, 1].map { ShardBells(memory + Self.bellsOffset + $0 * ShardBells.size) }
        (outgoing, incoming) = isHost ? (bells[0], bells[1]) : (bells[1], bells[0])
    }

    /// For the host: a new one.
    ///
    /// - Returns: also the descriptors of the other side.
    static func make() throws(SystemFailure) -> (ShardChannel, other: [Int32]) {
        let memory = belfry_shared_memory(size)
        guard memory >= 0 else { throw SystemFailure("share memory with a shard's process") }
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            close(memory)
            throw SystemFailure("speak with a shard's process")
        }
        do { return (try ShardChannel(socket: ends[0], memory: memory, isHost: true), [ends[1], memory]) } catch {
            for descriptor in ends + [memory] { close(descriptor) }
            throw error
        }
    }

    deinit {
        munmap(memory, Self.size)
        close(socket)
    }

    /// Where the process notes which call of a plugin it is in.
    var note: UnsafeMutablePointer<CallNote> { memory.assumingMemoryBound(to: CallNote.self) }

    /// Has a message written into a piece.
    ///
    /// - Returns: how long it is.
    func write(to piece: Piece, _ write: (inout MessageWriter) -> Void) throws(SystemFailure) -> Int {
        var message = MessageWriter(
            over: UnsafeMutableRawBufferPointer(start: memory + piece.offset, count: Self.pieceSize))
        write(&message)
        guard message.count <= Self.pieceSize else {
            errno = EMSGSIZE
            throw SystemFailure("hand a batch to a shard's process")
        }
        return message.count
    }

    /// Where the part of a message behind its first so many bytes is written.
    func memory(of piece: Piece, from begin: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: memory + piece.offset + begin, count: Self.pieceSize - begin)
    }

    /// A copy of a message; nil if it cannot be that long.
    func read(_ piece: Piece, _ length: Int) -> [UInt8]? { message(piece, length).map { Array($0) } }

    /// A message where the other side wrote it; nil if it cannot be that long.
    func message(_ piece: Piece, _ length: Int) -> UnsafeRawBufferPointer? {
        guard (0...Self.pieceSize).contains(length) else { return nil }
        return UnsafeRawBufferPointer(start: memory + piece.offset, count: length)
    }

    /// - Returns: false if the other side has hung up, as far as that is known.
    @discardableResult
    func ring(_ kind: Bell.Kind, _ length: Int) -> Bool {
        outgoing.ring(Bell(kind: kind, length: length)) ? wakeOther() : true
    }

    /// Wakes the other side.
    ///
    /// - Returns: false if it has hung up.
    @discardableResult
    func wakeOther() -> Bool {
        send(socket, [1], 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) == 1 || errno == EAGAIN
    }

    /// For a process: ends it if a plugin has closed the socket.
    func endIfClosed() {
        if fcntl(socket, F_GETFD) < 0 { end(.deaf) }
    }

    /// For a process: ends it, and says why.
    func end(_ why: CallNote.SelfEnd) -> Never {
        note.pointee.endItself(why)
        _exit(1)
    }

    /// The next bell, if it has rung.
    func heard() -> Bell? { incoming.heard() }

    /// Looks for a bell as often as that, and lets others work in between.
    func heard(within looks: Int) -> Bell? {
        for _ in 0..<looks {
            if let bell = heard() { return bell }
            sched_yield()
        }
        return nil
    }

    /// Waits for a bell; nil when the other side has hung up.
    ///
    /// - Parameter looks: how often to look before it sleeps.
    func hear(after looks: Int = 0) -> Bell? {
        if let bell = heard(within: looks) { return bell }
        while true {
            sleep(true)
            defer { sleep(false) }
            if let bell = heard() { return bell }
            if !wake(0) { return heard() }
        }
    }

    /// For a side that waits for other things, too: whether it has to be woken. It has to look once more before it sleeps.
    func sleep(_ sleeps: Bool) { incoming.sleep(sleeps) }

    /// Takes what has woken it.
    ///
    /// - Returns: whether the other side has not hung up.
    func wake(_ flags: Int32 = Int32(MSG_DONTWAIT)) -> Bool {
        var byte: UInt8 = 0
        let count = recv(socket, &byte, 1, flags)
        return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))
    }
}

/// The system refused something that a run needs.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    /// - Parameter what: what was to be done.
    init(_ what: String) {
        description = """
            cannot \(what)
              why: \(String(cString: strerror(errno)))
              fix: give belfry more of what the system is short of, or run with --isolation thread
            """
    }
}
