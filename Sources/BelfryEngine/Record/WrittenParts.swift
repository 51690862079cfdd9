/// The body and the states of a record as they were written last: what nobody touched since then is copied from here, and its strategy
/// is not asked to save it again.
///
/// A record that never was stored has none.
struct WrittenParts: ~Copyable {
    /// The header, then the bytes of the body and of the states, one after the other; nil while nothing was ever written.
    private var memory: UnsafeMutablePointer<Header>?

    private struct Header {
        var body: UInt32
        var capacity: UInt32
    }

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

    /// - Parameter body: nil if it is not to be kept.
    mutating func keep(body: UnsafeRawBufferPointer?, states: UnsafeRawBufferPointer) {
        let body = body ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let memory = withRoom(for: body.count + states.count)
        memory.pointee.body = UInt32(body.count)
        let start = UnsafeMutableRawPointer(memory + 1)
        if let source = body.baseAddress { start.copyMemory(from: source, byteCount: body.count) }
        if let source = states.baseAddress { (start + body.count).copyMemory(from: source, byteCount: states.count) }
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
