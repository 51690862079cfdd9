import BelfryEngine
import CLinux
import Glibc

/// Memory in which a process notes which call of a plugin it is in, for the host to read.
typealias SharedNote = SharedPage<CallNote>

/// A page that a process shares with the host. It is empty at first, which all bytes 0 have to mean.
///
/// What the process forks does not have it, unless that is asked for: a copy that a plugin makes would write there, too, and ends of that.
final class SharedPage<Content> {
    let pointer: UnsafeMutablePointer<Content>
    private static var size: Int { 4096 }

    /// - Throws: `SystemFailure`.
    init(_ descriptor: Int32) throws(SystemFailure) {
        guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
        else { throw SystemFailure("share memory with a process for plugins") }
        pointer = memory.assumingMemoryBound(to: Content.self)
        inherit(false)
    }

    /// Says whether what this process forks from here on has it.
    func inherit(_ isInherited: Bool) { madvise(pointer, Self.size, isInherited ? MADV_DOFORK : MADV_DONTFORK) }

    deinit { munmap(pointer, Self.size) }

    /// For the host: a new one.
    ///
    /// - Returns: also the descriptor for the other side, to be closed here.
    static func make() throws(SystemFailure) -> (SharedPage, descriptor: Int32) {
        let descriptor = belfry_shared_memory(size)
        guard descriptor >= 0 else { throw SystemFailure("share memory with a process for plugins") }
        do { return (try SharedPage(descriptor), descriptor) } catch {
            close(descriptor)
            throw error
        }
    }
}
