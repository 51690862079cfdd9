import BelfryModel
import Glibc
import Synchronization

/// Which lines were told, in memory that a process shares with those that it forks: a hash of each.
///
/// A plugin can write over it, as over all memory of its process. It then mutes warnings, or has them told again.
final class SharedLines: Sendable {
    /// Zero where there is none. Mapped for as long as the process lives.
    private let hashes: Constant<UnsafeMutablePointer<Atomic<UInt64>>>
    private static let capacity = 1 << 14

    /// Nil if the system gives no memory: then each process tells for itself.
    init?() {
        let size = Self.capacity * MemoryLayout<Atomic<UInt64>>.stride
        guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { return nil }
        // Fresh memory is zero, as an atomic number is that was made of it.
        hashes = Constant(memory.assumingMemoryBound(to: Atomic<UInt64>.self))
    }

    /// Notes that a line is told.
    ///
    /// - Returns: whether no process has told it yet. Where there is no room any more, a line counts as new.
    func add(_ line: String, of plugin: String?) -> Bool {
        let hash = max(1, stableHash(line, seed: stableHash(plugin ?? "")))
        for step in 0..<Self.capacity {
            let place = Int((hash &+ UInt64(step)) % UInt64(Self.capacity))
            let (isNew, former) = hashes.pointer[place].compareExchange(
                expected: 0, desired: hash, ordering: .relaxed)
            if isNew || former == hash { return isNew }
        }
        return true
    }
}
