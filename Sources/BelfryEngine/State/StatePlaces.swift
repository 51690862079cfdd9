import BelfryModel
import CBelfry

/// Where declared fields lie in the memory of a plugin and as they are stored, and how they come from one to the other.
///
/// Plain bytes, so that walking the fields counts no references.
struct StatePlaces: Sendable {
    /// How many bytes a state has in the plugin's memory.
    private let size: Int
    /// How many bytes the fields have as they are stored.
    private let storedSize: Int
    /// Whether the fields lie in the plugin's memory as they are stored.
    let isAligned: Bool
    /// Whether there is nothing but numbers, so that what is stored is a copy of the plugin's memory.
    let isPlain: Bool
    private let all: Constant<UnsafeMutableBufferPointer<Field>>
    /// The fields that are not stored as they lie in the plugin's memory.
    private let others: Constant<UnsafeMutableBufferPointer<Field>>
    /// The texts and lists.
    private let series: Constant<UnsafeMutableBufferPointer<Field>>

    fileprivate struct Field {
        let type: StateShape.Kind
        let isOptional: Bool
        let hasFlag: Bool
        /// As it is stored.
        let size: Int
        /// In the plugin's memory.
        let offset: Int
        /// Among the fields as they are stored.
        let stored: Int
    }

    /// - Parameters:
    ///   - offsets: of the fields in the plugin's memory.
    ///   - size: of that memory.
    init(_ shapes: [StateShape.Field], at offsets: [Int], size: Int, alignment: Int) {
        var stored = 0
        let fields = zip(shapes, offsets).map { field, offset in
            defer { stored += field.size }
            return Field(
                type: field.type, isOptional: field.isOptional, hasFlag: field.hasFlag, size: field.size,
                offset: offset, stored: stored)
        }
        (self.size, storedSize) = (size, stored)
        isAligned = fields.allSatisfy { $0.offset == $0.stored } && alignment <= 8 && size <= stored
        isPlain = isAligned && size == stored && fields.allSatisfy(\.isWord)
        all = Constant(.copy(fields))
        others = Constant(.copy(isAligned ? fields.filter { !$0.isWord } : fields))
        series = Constant(.copy(fields.filter(\.type.isSeries)))
    }

    func deallocate() {
        for places in [all, others, series] { places.pointer.deallocate() }
    }

    var isEmpty: Bool { all.pointer.isEmpty }
    var hasSeries: Bool { !series.pointer.isEmpty }

    /// How many bytes a state in the plugin's memory has as it is stored.
    ///
    /// - Returns: nil if a text is no UTF-8, or a text or list has no address.
    func length(_ memory: UnsafeRawPointer) -> Int? {
        var length = storedSize
        for field in series.pointer {
            guard let bytes = memory.series(field) else { return nil }
            length += paddedToWord(bytes.count)
        }
        return length
    }

    /// Writes a state in the plugin's memory as it is stored: `length` bytes.
    func store(_ memory: UnsafeRawPointer, to stored: UnsafeMutableRawPointer) {
        let copied = isAligned ? size : 0
        stored.copyMemory(from: memory, byteCount: copied)
        (stored + copied).initializeMemory(as: UInt8.self, repeating: 0, count: storedSize - copied)
        var end = storedSize
        for field in others.pointer { stored.store(field, from: memory, end: &end) }
    }

    /// Fills the plugin's memory with what is stored. Its texts and lists stay where they are.
    ///
    /// - Parameter new: what there is besides the fields.
    func load(_ stored: UnsafeRawPointer, into memory: UnsafeMutableRawPointer, new: UnsafeRawPointer) {
        if isAligned {
            memory.copyMemory(from: stored, byteCount: size)
        } else {
            memory.copyMemory(from: new, byteCount: size)
            for field in all.pointer { memory.load(field, from: stored) }
        }
        for field in series.pointer { memory.lend(field, in: stored) }
    }
}

extension StatePlaces.Field {
    /// Whether it is stored as the word that it is in the plugin's memory.
    fileprivate var isWord: Bool { size == 8 && type != .boolean }
}

extension UnsafeMutableBufferPointer {
    fileprivate static func copy(_ elements: [Element]) -> UnsafeMutableBufferPointer {
        let places = UnsafeMutableBufferPointer.allocate(capacity: elements.count)
        _ = places.initialize(from: elements)
        return places
    }
}

extension UnsafeRawPointer {
    /// A text or list in a plugin's memory; nil if it has no address, more than 2^20 elements, or is a text that is no UTF-8.
    fileprivate func series(_ field: StatePlaces.Field) -> UnsafeRawBufferPointer? {
        let start = loadUnaligned(fromByteOffset: field.offset, as: UnsafeRawPointer?.self)
        let count = loadUnaligned(fromByteOffset: field.offset + 8, as: UInt64.self)
        guard count <= 1 << 20, start != nil || count == 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(count) * field.type.elementSize)
        if field.type == .text, String(validating: bytes, as: UTF8.self) == nil { return nil }
        return bytes
    }
}

extension UnsafeMutableRawPointer {
    /// Writes a field of a plugin's memory in its place among the fields as they are stored.
    ///
    /// - Parameter end: where a text or list is put.
    @inline(__always)
    fileprivate func store(_ field: StatePlaces.Field, from memory: UnsafeRawPointer, end: inout Int) {
        let (place, stored) = (memory + field.offset, self + field.stored)
        if field.type.isSeries {
            // `length` has checked that it has an address.
            guard let bytes = memory.series(field) else { return }
            stored.put(UInt64(end))
            (stored + 8).put(UInt64(bytes.count / field.type.elementSize))
            append(bytes, at: &end)
        } else if field.type == .boolean {
            stored.put(UInt64(min(place.load(as: UInt8.self), field.isOptional ? 2 : 1)))
        } else {
            let isAbsent = field.isOptional && place.load(fromByteOffset: 8, as: UInt8.self) != 0
            stored.put(isAbsent ? 0 : place.loadUnaligned(as: UInt64.self))
            if field.hasFlag { (stored + 8).put(isAbsent ? 1 : 0) }
        }
    }

    @inline(__always)
    private func put(_ number: UInt64) { storeBytes(of: number.littleEndian, as: UInt64.self) }

    /// Bytes, filled up with zeros to a multiple of 8.
    @inline(__always)
    private func append(_ bytes: UnsafeRawBufferPointer, at end: inout Int) {
        if bytes.isEmpty { return }
        let next = end + paddedToWord(bytes.count)
        (self + next - 8).put(0)
        UnsafeMutableRawBufferPointer(start: self + end, count: bytes.count).copyMemory(from: bytes)
        end = next
    }

    /// Copies a field to where the plugin has it.
    fileprivate func load(_ field: StatePlaces.Field, from stored: UnsafeRawPointer) {
        let place = stored + field.stored
        if field.type == .boolean {
            storeBytes(of: place.load(as: UInt8.self), toByteOffset: field.offset, as: UInt8.self)
        } else {
            // The flag of an optional is a byte: what lies behind it is another field's.
            (self + field.offset).copyMemory(from: place, byteCount: field.hasFlag ? 9 : field.size)
        }
    }

    /// Makes a text or list, which says where it is stored, one that has its address.
    @inline(__always)
    fileprivate func lend(_ field: StatePlaces.Field, in stored: UnsafeRawPointer) {
        let place = Int(loadUnaligned(fromByteOffset: field.offset, as: UInt64.self))
        storeBytes(of: stored + place, toByteOffset: field.offset, as: UnsafeRawPointer.self)
    }
}
