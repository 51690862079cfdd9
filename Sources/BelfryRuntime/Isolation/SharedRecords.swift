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
///   16 × n    the slots: for each version 4 bytes where it lies, in pieces of 16 bytes, and 4 the number of its save, 0 for none
///   …         the versions: 4 bytes how many fit, 4 how many there are, and these
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
    private static let mostSlots = 1 << 26
    /// Of a record.
    private static let mostBytes = 1 << 30
    private static let versionsOffset = slotsOffset + mostSlots * 16
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

    /// Of a version.
    private static let headerSize = 8

    /// Where a version is, and which save wrote it.
    private struct Version {
        var place: UInt32
        var save: UInt32

        var word: UInt64 { UInt64(place) << 32 | UInt64(save) }
    }

    /// Saves a record.
    ///
    /// - Parameter changed: what of it may be other than when it was saved the time before the last; nil: all.
    /// - Throws: if there is no room for it, or memory makes no sense.
    func write(_ record: UnsafeRawBufferPointer, _ changed: [Range<Int>]?, to slot: Int, _ save: UInt32) throws {
        let (first, second) = (version(slot, 0), version(slot, 1))
        let (side, older) = first.save <= second.save ? (0, first) : (1, second)
        var place = older.place
        if try place == 0 || capacity(at: place) < record.count { place = try allocate(record.count) }
        let header = bytes(at: place)
        header.storeBytes(of: UInt32(record.count), toByteOffset: 4, as: UInt32.self)
        // The save before the last is there, unless it is another place.
        for range in (place == older.place ? changed : nil) ?? [0..<record.count] {
            (header + Self.headerSize + range.lowerBound)
                .copyMemory(from: record.baseAddress! + range.lowerBound, byteCount: range.count)
        }
        set(slot, side, Version(place: place, save: save))
        if place != older.place, older.place != 0 { try free(older.place) }
    }

    /// Has the processor fetch where a record will be written.
    func prefetch(_ slot: Int) {
        let (first, second) = (version(slot, 0), version(slot, 1))
        belfry_prefetch(bytes(at: first.save <= second.save ? first.place : second.place))
    }

    /// Shows a record as it was saved last; nil if it never was.
    ///
    /// - Parameter save: the last one that is complete.
    /// - Throws: if what the process left makes no sense.
    func withBytes<Result>(
        _ slot: Int, upTo save: UInt32, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result? {
        guard let version = newest(slot, upTo: save) else { return nil }
        let (header, capacity) = (bytes(at: version.place), try capacity(at: version.place))
        let count = Int(header.load(fromByteOffset: 4, as: UInt32.self))
        guard count <= capacity, count <= Self.mostBytes else { throw ShardFailure.nonsense }
        return body(UnsafeRawBufferPointer(start: header + Self.headerSize, count: count))
    }

    /// The save in which a record was last; nil if it was in none.
    func saved(_ slot: Int, upTo save: UInt32) -> UInt32? { newest(slot, upTo: save)?.save }

    /// Takes back what a process wrote that died before its save was complete.
    func forget(_ slot: Int, after save: UInt32) {
        for side in 0...1 {
            let version = version(slot, side)
            if version.save > save { set(slot, side, Version(place: version.place, save: 0)) }
        }
    }

    private func newest(_ slot: Int, upTo save: UInt32) -> Version? {
        let (first, second) = (version(slot, 0), version(slot, 1))
        let newest = second.save > save || (first.save <= save && first.save > second.save) ? first : second
        return newest.save > 0 && newest.save <= save ? newest : nil
    }

    private func version(_ slot: Int, _ side: Int) -> Version {
        let word = word(at: place(slot, side)).pointee.load(ordering: .acquiring)
        return Version(place: UInt32(truncatingIfNeeded: word >> 32), save: UInt32(truncatingIfNeeded: word))
    }

    private func set(_ slot: Int, _ side: Int, _ version: Version) {
        word(at: place(slot, side)).pointee.store(version.word, ordering: .sequentiallyConsistent)
    }

    private func place(_ slot: Int, _ side: Int) -> Int {
        Self.slotsOffset + slot * 16 + side * 8
    }

    private func word(at place: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (memory + place).assumingMemoryBound(to: Atomic<UInt64>.self)
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

    private func bytes(at place: UInt32) -> UnsafeMutableRawPointer { memory + Int(place) * 16 }

    /// How many bytes fit there. It is read once: where memory was given out, a plugin may write.
    ///
    /// - Throws: if that makes no sense.
    private func capacity(at place: UInt32) throws -> Int {
        let start = Int(place) * 16
        guard start >= Self.versionsOffset, start + Self.headerSize <= Self.size else { throw ShardFailure.nonsense }
        let capacity = Int(bytes(at: place).load(as: UInt32.self))
        guard start + Self.headerSize + capacity <= Self.size else { throw ShardFailure.nonsense }
        return capacity
    }

    /// - Throws: if there cannot be as many slots.
    func checkSlot(_ slot: Int) throws {
        guard slot < Self.mostSlots else {
            errno = ENOMEM
            throw SystemFailure("keep the records of a shard's process")
        }
    }

    /// How many bytes were given out ever, about: what was freed is used again.
    var used: Int { max(0, min(Int(unused.pointee) * 16, Self.size) - Self.versionsOffset) }

    private func allocate(_ count: Int) throws -> UInt32 {
        // With room to grow.
        let (index, size) = Self.sizeClass(Self.headerSize + count + count / 8)
        let first = heads[index]
        if first != 0 {
            guard try capacity(at: first) >= size - Self.headerSize else { throw ShardFailure.nonsense }
            heads[index] = bytes(at: first).load(fromByteOffset: Self.headerSize, as: UInt32.self)
            return first
        }
        let place = unused.pointee
        guard Int(place) * 16 >= Self.versionsOffset else { throw ShardFailure.nonsense }
        guard Int(place) * 16 + size < Self.size else {
            errno = ENOMEM
            throw SystemFailure("keep the records of a shard's process")
        }
        populate(from: Int(place) * 16, size)
        unused.pointee &+= UInt32(size / 16)
        bytes(at: place).storeBytes(of: UInt32(size - Self.headerSize), as: UInt32.self)
        return place
    }

    /// Has pages made many at a time: each by itself at its first use takes longer.
    private func populate(from begin: Int, _ size: Int) {
        let start = max(populated, begin / Self.pages * Self.pages)
        guard begin + size > start else { return }
        populated = (begin + size + Self.pages - 1) / Self.pages * Self.pages
        belfry_populate(memory + start, populated - start)
    }

    private static let pages = 1 << 20

    private func free(_ place: UInt32) throws {
        let (index, _) = Self.sizeClass(Self.headerSize + (try capacity(at: place)))
        bytes(at: place).storeBytes(of: heads[index], toByteOffset: Self.headerSize, as: UInt32.self)
        heads[index] = place
    }
}
