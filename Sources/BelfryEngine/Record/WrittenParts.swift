/// The body and the states of a record as they were written last: what nobody touched since then is copied from here, and its strategy
/// is not asked to save it again.
///
/// A record that never was stored has none, and neither has a large one: it is not to lie in memory twice.
struct WrittenParts: ~Copyable {
    /// The header, then the bytes of the body and of the states, one after the other; nil while nothing was ever written.
    private var memory: UnsafeMutablePointer<Header>?

    private struct Header {
        var body: UInt32
        var capacity: UInt32
    }

    /// Of more bytes, nothing is kept. To save them all again costs little beside writing so many.
    static let limit = 16 << 10

    init() {}

    deinit { memory.map { UnsafeMutableRawPointer($0).deallocate() } }

    private var start: UnsafeMutableRawPointer? { memory.map { UnsafeMutableRawPointer($0 + 1) } }

    /// Nil if it was not kept.
    var body: UnsafeRawBufferPointer? {
        guard let memory, memory.pointee.body > 0 else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(memory.pointee.body))
    }

    /// Those that remembered something, in their order. Each slot knows how many bytes are its own.
    var states: UnsafeRawPointer? { start.map { UnsafeRawPointer($0 + Int(memory!.pointee.body)) } }

    /// - Parameter body: empty if it is not to be kept.
    mutating func keep(body: UnsafeRawBufferPointer, states: UnsafeRawBufferPointer) {
        let size = body.count + states.count
        guard size > 0, size <= Self.limit else { return forget() }
        let memory = withRoom(for: size)
        memory.pointee.body = UInt32(body.count)
        let room = UnsafeMutableRawBufferPointer(start: memory + 1, count: size)
        room.copyMemory(from: body)
        UnsafeMutableRawBufferPointer(rebasing: room[body.count...]).copyMemory(from: states)
    }

    private mutating func forget() {
        memory.map { UnsafeMutableRawPointer($0).deallocate() }
        memory = nil
    }

    private mutating func withRoom(for size: Int) -> UnsafeMutablePointer<Header> {
        if let memory, Int(memory.pointee.capacity) >= size { return memory }
        // What has grown once will grow again.
        let capacity = memory == nil ? size : size + size / 8
        memory.map { UnsafeMutableRawPointer($0).deallocate() }
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: MemoryLayout<Header>.size + capacity, alignment: 8)
        let header = bytes.bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(body: 0, capacity: UInt32(capacity)))
        memory = header
        return header
    }
}
