/// A list of numbers or instants in a state.
///
/// It lies in memory that the host lends, so it is changed with the context of the hook, and is good until the hook returns. It may have
/// 2^20 elements when the hook returns: with more, the state stays what it was, and the call is a fault. The process ends where one would
/// take more than 16 MiB.
public struct StateList<Element: StateListElement>: RandomAccessCollection, StateFieldValue {
    // As `belfry_integers` of the contract.
    @usableFromInline var items: UnsafePointer<Element>?
    @usableFromInline var length: UInt64

    /// Of no elements.
    @inlinable public init() { (items, length) = (nil, 0) }

    public static var fieldType: UInt32 { Element.listType }

    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { Int(length) }

    @inlinable public subscript(index: Int) -> Element {
        precondition(index >= 0 && index < Int(length))
        return items.unsafelyUnwrapped[index]  // there are some
    }

    @inlinable public mutating func append(_ element: Element, in context: Context) {
        let copy = context.scratch(Element.self, count: Int(length) + 1)
        if let items { copy.initialize(from: items, count: Int(length)) }
        (copy + Int(length)).initialize(to: element)
        (items, length) = (UnsafePointer(copy), length + 1)
    }

    /// Replaces everything.
    @inlinable public mutating func set(_ elements: some Collection<Element>, in context: Context) {
        let copy = context.scratch(Element.self, count: Swift.max(1, elements.count))
        for (place, element) in elements.enumerated() { (copy + place).initialize(to: element) }
        (items, length) = (UnsafePointer(copy), UInt64(elements.count))
    }

    /// Removes so many elements, as far as there are any.
    @inlinable public mutating func removeFirst(_ count: Int) {
        let count = Swift.max(0, Swift.min(count, Int(length)))
        items = items.map { $0 + count }
        length -= UInt64(count)
    }

    public mutating func removeAll() { self = StateList() }
}

/// What a `StateList` can have: `Int64` or `Instant`.
public protocol StateListElement: BitwiseCopyable {
    /// As in the contract, `BELFRY_FIELD_…`.
    static var listType: UInt32 { get }
}

extension Int64: StateListElement { public static var listType: UInt32 { BELFRY_FIELD_INTEGERS } }
extension Instant: StateListElement { public static var listType: UInt32 { BELFRY_FIELD_INSTANTS } }

/// A text in a state, of up to 2^20 bytes of UTF-8. Like a list, it is changed with the context of the hook.
public struct StateText: StateFieldValue {
    // As `belfry_text` of the contract.
    private var bytes: UnsafePointer<CChar>?
    private var length: UInt64

    /// An empty one.
    public init() { (bytes, length) = (nil, 0) }

    public static var fieldType: UInt32 { BELFRY_FIELD_TEXT }

    public var string: String { String(belfry: belfry_text(bytes: bytes, length: length)) ?? "" }
    public var isEmpty: Bool { length == 0 }

    public mutating func set(_ text: String, in context: Context) {
        let utf8 = text.utf8
        let copy = context.scratch(CChar.self, count: max(1, utf8.count))
        for (place, byte) in utf8.enumerated() { copy[place] = CChar(bitPattern: byte) }
        (bytes, length) = (UnsafePointer(copy), UInt64(utf8.count))
    }
}

/// Texts are equal byte by byte.
extension StateText: Equatable {
    public static func == (left: StateText, right: StateText) -> Bool { left == right.string }
    public static func == (left: StateText, right: String) -> Bool { left.string.utf8.elementsEqual(right.utf8) }
}

extension Context {
    /// Memory for so many elements, until the hook returns.
    ///
    /// A list of a state is no place to throw from. The sentence is there in optimized plugins too.
    @usableFromInline
    func scratch<Element: BitwiseCopyable>(_ type: Element.Type, count: Int) -> UnsafeMutablePointer<Element> {
        guard let table = hostPointer.pointee.scratch else {
            fatalError(
                "the host has no memory for a list or text of a state: it has to offer belfry.scratch/1")
        }
        let size = count * MemoryLayout<Element>.stride
        guard let memory = table.pointee.allocate(raw, UInt64(size)) else {
            fatalError(
                "a list or text of a state would take \(size) bytes; the host lends at most 16 MiB at once, so keep less"
            )
        }
        return memory.bindMemory(to: Element.self, capacity: count)
    }
}
