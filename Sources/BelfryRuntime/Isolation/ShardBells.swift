import Synchronization

/// What one side of a channel has to say to the other one, without the messages themselves: numbers in memory that both have.
///
/// The side that listens may look for a while before it sleeps, and has to be woken only if it does.
///
///   4 bytes   whether the listening side sleeps
///   8 × 8     bells, the one with number n in place n mod 8: 24 bits of its number, from 1, 4 of its kind, 36 of its length
struct ShardBells {
    private let memory: UnsafeMutableRawPointer
    /// Of the last one that this side rang, or heard.
    private var last: UInt64 = 0

    /// In bytes, with room up to the next line of the cache.
    static let size = 128

    init(_ memory: UnsafeMutableRawPointer) { self.memory = memory }

    /// Rings.
    ///
    /// - Returns: whether the listening side has to be woken.
    mutating func ring(_ bell: ShardChannel.Bell) -> Bool {
        last += 1
        let word = last << 40 | UInt64(bell.kind.rawValue) << 36 | UInt64(bell.length)
        place(of: last).pointee.store(word, ordering: .sequentiallyConsistent)
        return sleeps.pointee.load(ordering: .sequentiallyConsistent) != 0
    }

    /// The next one, if it has rung; nil also for what is none.
    mutating func heard() -> ShardChannel.Bell? {
        let word = place(of: last + 1).pointee.load(ordering: .sequentiallyConsistent)
        guard word >> 40 == (last + 1) & 0xFF_FFFF, let kind = ShardChannel.Bell.Kind(rawValue: UInt8(word >> 36 & 15))
        else { return nil }
        last += 1
        return ShardChannel.Bell(kind: kind, length: Int(word & 0xF_FFFF_FFFF))
    }

    /// Whether this side has to be woken from now on. It has to look once more before it sleeps.
    func sleep(_ sleeps: Bool) { self.sleeps.pointee.store(sleeps ? 1 : 0, ordering: .sequentiallyConsistent) }

    private var sleeps: UnsafeMutablePointer<Atomic<UInt32>> { memory.assumingMemoryBound(to: Atomic<UInt32>.self) }

    private func place(of number: UInt64) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (memory + 8 + Int(number % 8) * 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
