import CLinux
import Glibc
import Synchronization

/// The records of a shard in memory that outlives its process: where the process saves them from time to time.
///
/// Each record has a slot with two versions. To save is to write every record that changed in place of its older version, with the number
/// of the save. It is complete as soon as the answer that tells of it is. So, whatever ends a process at whatever moment, the newest
/// versions of complete saves are whole, and the next process goes on from them.
///
///   4 bytes   where memory begins that was never given out, in pieces of 16 bytes
///   4 × 96    for each size, the first piece of memory that is free again; in it lies where the next one is
///   32 × n    the slots: for each version 4 bytes where it lies and 4 how much fits there, in pieces of 16 bytes, 4 the number of its save,
///             0 for none, and 4 how many bytes there are
///   …         the versions
///
/// Numbers are those of the machine: nothing of it is stored. The host writes slots only: of a record that a process asks for, or of a process
/// that has died.
final class SharedRecords {
    private let memory: UnsafeMutableRawPointer
    /// Nil for a process: a plugin might write to it.
    private let descriptor: Int32?
    /// Where pages end that were made ahead.
    private var populated = 0

    private static let slotsOffset = 4096
    private static let (slotSize, versionSize) = (32, 16)
    private static let mostSlots = 1 << 26
    /// Of a record.
    private static let mostBytes = 1 << 30
    private static let versionsOffset = slotsOffset + mostSlots * slotSize
    /// An address is nothing but a number: memory that was never written to is not there.
    private static let size = 1 << 36

    /// For a process: what the host has made. The descriptor is closed.
    ///
    /// - Throws: `SystemFailure`.
    convenience init(_ descriptor: Int32) throws(SystemFailure) {
        defer { close(descriptor) }
        try self.init(mapping: descriptor, descriptor: nil)
    }

    private init(mapping shared: Int32, descriptor: Int32?) throws(SystemFailure) {
        let flags = MAP_SHARED | MAP_NORESERVE
        guard let memory = mmap(nil, Self.size, PROT_READ | PROT_WRITE, flags, shared, 0), memory != MAP_FAILED
        else { throw Self.refused }
        (self.memory, self.descriptor) = (memory, descriptor)
    }

    /// For the host: a new one.
    static func make() throws(SystemFailure) -> SharedRecords {
        let descriptor = belfry_shared_memory(size)
        guard descriptor >= 0 else { throw refused }
        do {
            let records = try SharedRecords(mapping: descriptor, descriptor: descriptor)
            records.unused.pointee = UInt32(versionsOffset / 16)
            return records
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        munmap(memory, Self.size)
        if let descriptor { close(descriptor) }
    }

    /// For another process, which closes it.
    func descriptorToGive() throws(SystemFailure) -> Int32 {
        let other = descriptor.map { fcntl($0, F_DUPFD_CLOEXEC, 0) } ?? -1
        guard other >= 0 else { throw Self.refused }
        return other
    }

    /// As `errno` says why.
    private static var refused: SystemFailure { SystemFailure("share records with a shard's process") }

    // MARK: Versions

    /// Where a version is, and which save wrote it.
    private struct Version {
        /// In pieces of 16 bytes, as its capacity is.
        var place: UInt32
        var capacity: UInt32
        var save: UInt32
        var count: UInt32
    }

    /// Saves a record.
    ///
    /// - Parameter changed: what of it may be other than when it was saved the time before the last; nil: all.
    /// - Throws: if there is no room for it, or memory makes no sense.
    func write(_ record: UnsafeRawBufferPointer, _ changed: [Range<Int>]?, to slot: Int, _ save: UInt32) throws {
        let (first, second) = (version(slot, 0), version(slot, 1))
        let (side, older) = first.save <= second.save ? (0, first) : (1, second)
        var version = older
        if older.place == 0 || Int(older.capacity) * 16 < record.count { version = try allocate(record.count) }
        (version.save, version.count) = (save, UInt32(record.count))
        // The save before the last is there, unless it is another place.
        copy(record, version.place == older.place ? changed : nil, to: try bytes(of: version))
        set(slot, side, version)
        if version.place != older.place, older.place != 0 { try free(older) }
    }

    private func copy(
        _ record: UnsafeRawBufferPointer, _ changed: [Range<Int>]?, to bytes: UnsafeMutableRawBufferPointer
    ) {
        guard let changed else { return bytes.copyMemory(from: record) }
        for range in changed {
            UnsafeMutableRawBufferPointer(rebasing: bytes[range])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: record[range]))
        }
    }

    /// Has the processor fetch what is known of a record.
    func prefetch(_ slot: Int) { belfry_prefetch(memory + place(slot, 0)) }

    /// Shows a record as it was saved last; nil if it never was.
    ///
    /// - Parameter save: the last one that is complete.
    /// - Throws: if what the process left makes no sense.
    func withBytes<Result>(
        _ slot: Int, upTo save: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result? {
        guard let version = newest(slot, upTo: save) else { return nil }
        return body(UnsafeRawBufferPointer(try bytes(of: version)))
    }

    /// The save in which a record was last; nil if it was in none.
    func saved(_ slot: Int, upTo save: UInt32) -> UInt32? { newest(slot, upTo: save)?.save }

    /// Takes back what a process wrote that died before its save was complete.
    func forget(_ slot: Int, after save: UInt32) {
        for side in 0...1 {
            var version = version(slot, side)
            guard version.save > save else { continue }
            version.save = 0
            set(slot, side, version)
        }
    }

    private func newest(_ slot: Int, upTo save: UInt32) -> Version? {
        let (first, second) = (version(slot, 0), version(slot, 1))
        let newest = second.save > save || (first.save <= save && first.save > second.save) ? first : second
        return newest.save > 0 && newest.save <= save ? newest : nil
    }

    /// Each word is read once: a plugin may write there.
    private func version(_ slot: Int, _ side: Int) -> Version {
        let (place, save) = (
            words(slot, side)[0].load(ordering: .acquiring), words(slot, side)[1].load(ordering: .acquiring)
        )
        return Version(
            place: UInt32(truncatingIfNeeded: place), capacity: UInt32(truncatingIfNeeded: place >> 32),
            save: UInt32(truncatingIfNeeded: save), count: UInt32(truncatingIfNeeded: save >> 32))
    }

    /// A process that ends in between leaves the older version with a new place and no bytes there: it is not needed, and is written next.
    private func set(_ slot: Int, _ side: Int, _ version: Version) {
        let words = words(slot, side)
        words[0].store(UInt64(version.capacity) << 32 | UInt64(version.place), ordering: .releasing)
        words[1].store(UInt64(version.count) << 32 | UInt64(version.save), ordering: .releasing)
    }

    private func words(_ slot: Int, _ side: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (memory + place(slot, side)).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private func place(_ slot: Int, _ side: Int) -> Int {
        Self.slotsOffset + slot * Self.slotSize + side * Self.versionSize
    }

    /// Where a version lies.
    ///
    /// - Throws: if that makes no sense.
    private func bytes(of version: Version) throws -> UnsafeMutableRawBufferPointer {
        let (start, count, capacity) = (Int(version.place) * 16, Int(version.count), Int(version.capacity) * 16)
        guard start >= Self.versionsOffset, start + capacity <= Self.size, count <= capacity, count <= Self.mostBytes
        else { throw ShardFailure.nonsense }
        return UnsafeMutableRawBufferPointer(start: memory + start, count: count)
    }

    // MARK: Memory

    /// In pieces of 64 bytes up to 4 KiB, then each twice as large as the one before.
    private static func sizeClass(_ count: Int) -> (index: Int, size: Int) {
        if count <= 4096 { return ((count + 63) / 64, (count + 63) / 64 * 64) }
        let bits = Int.bitWidth - (count - 1).leadingZeroBitCount
        return (64 + bits - 12, 1 << bits)
    }

    /// Where memory begins that was never given out.
    private var unused: UnsafeMutablePointer<UInt32> { memory.assumingMemoryBound(to: UInt32.self) }

    /// Of each size, what is free again.
    private var heads: UnsafeMutablePointer<UInt32> { (memory + 4).assumingMemoryBound(to: UInt32.self) }

    /// - Throws: if there cannot be as many slots.
    func checkSlot(_ slot: Int) throws {
        guard slot < Self.mostSlots else {
            errno = ENOMEM
            throw SystemFailure("keep the records of a shard's process")
        }
    }

    /// How many bytes were given out ever, about: what was freed is used again.
    var used: Int { max(0, min(Int(unused.pointee) * 16, Self.size) - Self.versionsOffset) }

    private func allocate(_ count: Int) throws -> Version {
        // With room to grow.
        let (index, size) = Self.sizeClass(count + count / 8)
        var version = Version(place: heads[index], capacity: UInt32(size / 16), save: 0, count: 4)
        if version.place != 0 {
            heads[index] = try bytes(of: version).load(as: UInt32.self)
            return version
        }
        version.place = unused.pointee
        guard Int(version.place) * 16 + size < Self.size else {
            errno = ENOMEM
            throw SystemFailure("keep the records of a shard's process")
        }
        populate(from: Int(version.place) * 16, size)
        unused.pointee &+= UInt32(size / 16)
        return version
    }

    /// Has pages made many at a time: each by itself at its first use takes longer.
    private func populate(from begin: Int, _ size: Int) {
        let start = max(populated, begin / Self.pages * Self.pages)
        guard begin + size > start else { return }
        populated = (begin + size + Self.pages - 1) / Self.pages * Self.pages
        belfry_populate(memory + start, populated - start)
    }

    private static let pages = 1 << 20

    private func free(_ version: Version) throws {
        let (index, _) = Self.sizeClass(Int(version.capacity) * 16)
        var free = version
        free.count = 4
        try bytes(of: free).storeBytes(of: heads[index], as: UInt32.self)
        heads[index] = version.place
    }
}
