import BelfryEngine
import CLinux
import Glibc

/// What the host and a shard's process share: memory for what they say to each other, and a socket that says when.
///
/// Nobody looks into a piece of memory while the other side may write there, but for the note; and what is read is copied first.
final class ShardChannel {
    let socket: Int32
    private let memory: UnsafeMutableRawPointer

    /// A piece of the shared memory, in which one message lies.
    enum Piece: Int, CaseIterable {
        case request, nextRequest, answer, nextAnswer, question, records

        fileprivate var offset: Int { ShardChannel.noteSize + rawValue * ShardChannel.pieceSize }
    }

    /// That there is a message.
    struct Bell {
        var kind: Kind
        var length: Int

        enum Kind: Int64 {
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
    /// Memory that nobody writes to is not there: this is only an address.
    private static let pieceSize = 1 << 30
    private static let size = noteSize + Piece.allCases.count * pieceSize

    /// - Throws: `SystemFailure`.
    init(socket: Int32, memory descriptor: Int32) throws(SystemFailure) {
        self.socket = socket
        let flags = MAP_SHARED | MAP_NORESERVE
        guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, flags, descriptor, 0), memory != MAP_FAILED
        else { throw SystemFailure("share memory with a shard's process") }
        self.memory = memory
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
        return (try ShardChannel(socket: ends[0], memory: memory), [ends[1], memory])
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

    /// A copy of a message; nil if it cannot be that long.
    func read(_ piece: Piece, _ length: Int) -> [UInt8]? {
        guard (0...Self.pieceSize).contains(length) else { return nil }
        return Array(UnsafeRawBufferPointer(start: memory + piece.offset, count: length))
    }

    /// - Returns: whether there is somebody to hear it.
    func ring(_ kind: Bell.Kind, _ length: Int) -> Bool {
        let words = [kind.rawValue, Int64(length)]
        return words.withUnsafeBytes { belfry_send_descriptors(socket, $0.baseAddress!, $0.count, nil, 0) } == 0
    }

    /// For a process: ends it if a plugin has closed the socket.
    func endIfClosed() {
        if fcntl(socket, F_GETFD) < 0 { _exit(ShardDeath.deaf) }
    }

    /// The next bell, if it has rung.
    func heard() -> Bell? {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) > 0 ? hear() : nil
    }

    /// Waits for a bell; nil at the end, and for what is none.
    func hear() -> Bell? {
        var words: [Int64] = [0, 0]
        let received = words.withUnsafeMutableBytes { bytes in
            var count = 0
            return belfry_receive_descriptors(socket, bytes.baseAddress!, bytes.count, nil, &count)
        }
        guard received == 16, let kind = Bell.Kind(rawValue: words[0]) else { return nil }
        return Bell(kind: kind, length: Int(words[1]))
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
