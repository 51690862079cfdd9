/// A list in one allocation, with eight bytes beside its elements where an array has forty, and no room to spare while it is short:
/// for the lists that every record has.
struct ShortList<Element>: ~Copyable {
    /// The header, and the elements after it; nil while nothing was ever in there.
    private var memory: UnsafeMutablePointer<Header>?

    private struct Header {
        var count: UInt32 = 0
        var capacity: UInt32
    }

    init() {}

    init(_ elements: [Element]) {
        if !elements.isEmpty { reserve(elements.count) }
        for element in elements { append(element) }
    }

    deinit {
        guard let memory else { return }
        start.deinitialize(count: count)
        UnsafeMutableRawPointer(memory).deallocate()
    }

    /// Where they lie, until the list is changed.
    var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: memory.map(Self.start), count: count) }

    var count: Int { Int(memory?.pointee.count ?? 0) }
    var indices: Range<Int> { 0..<count }

    /// Elements are aligned to eight bytes, as everything in a record is at most.
    private static func start(_ memory: UnsafeMutablePointer<Header>) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer(memory + 1).assumingMemoryBound(to: Element.self)
    }

    /// Where they lie or are to lie; there is memory.
    private var start: UnsafeMutablePointer<Element> { Self.start(memory!) }

    subscript(index: Int) -> Element {
        _read {
            precondition(index < count)
            yield start[index]
        }
        _modify {
            precondition(index < count)
            yield &start[index]
        }
    }

    /// Removes so many, the first ones.
    mutating func removeFirst(_ surplus: Int) {
        precondition(surplus <= count)
        guard surplus > 0, let memory else { return }
        for index in 0..<surplus { (start + index).deinitialize(count: 1) }
        start.moveInitialize(from: start + surplus, count: count - surplus)
        memory.pointee.count -= UInt32(surplus)
    }

    mutating func append(_ element: consuming Element) {
        let count = count
        if count == memory?.pointee.capacity ?? 0 { reserve(count < 4 ? count + 1 : count * 3 / 2) }
        (start + count).initialize(to: element)
        memory!.pointee.count += 1
    }

    mutating func removeAll(where isLeaving: (Element) -> Bool) {
        var kept = 0
        for index in indices {
            if isLeaving(start[index]) {
                (start + index).deinitialize(count: 1)
            } else {
                if kept < index { (start + kept).moveInitialize(from: start + index, count: 1) }
                kept += 1
            }
        }
        memory?.pointee.count = UInt32(kept)
    }

    private mutating func reserve(_ capacity: Int) {
        let size = MemoryLayout<Header>.size + capacity * MemoryLayout<Element>.stride
        let larger = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<Header>.size)
            .bindMemory(to: Header.self, capacity: 1)
        larger.initialize(to: Header(count: UInt32(count), capacity: UInt32(capacity)))
        if let memory {
            Self.start(larger).moveInitialize(from: start, count: count)
            UnsafeMutableRawPointer(memory).deallocate()
        }
        memory = larger
    }
}
