import BelfryModel
import CBelfry

/// How the state of a strategy lies in the memory that the plugin gets, and how it becomes what is stored.
package final class StateLayout: Sendable {
    private let provider: Constant<UnsafePointer<belfry_strategy>>
    let shape: StateShape
    /// That of the shape.
    let number: UInt32
    package let size: Int
    package let alignment: Int
    /// Whether the fields lie in the plugin's memory as they are stored, so that it can be lent a state where that lies.
    private let isAligned: Bool
    /// Whether there is nothing but numbers, so that what is stored is a copy of the plugin's memory.
    let isPlain: Bool
    /// How many bytes the fields have as they are stored.
    private let storedSize: Int
    /// The fields that are not stored as they lie in the plugin's memory.
    private let others: Constant<UnsafeMutableBufferPointer<Placed>>
    /// Where a text or list is lent from the plugin's memory.
    private let series: Constant<UnsafeMutableBufferPointer<Int>>
    /// A new state as it is stored. Of one that saves itself there is nothing.
    let initial: [UInt8]
    /// The same by its keys.
    let initialValues: [StatePair]
    private let newState: Constant<UnsafeMutableRawPointer>
    private let fields: [Placed]

    /// Plain bytes, so that walking the fields counts no references.
    fileprivate struct Placed {
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

    /// Nil for a strategy that keeps no state. The table was checked when its plugin was loaded.
    package init?(_ table: UnsafePointer<belfry_strategy>) {
        guard table.pointee.state_size > 0 else { return nil }
        provider = Constant(table)
        size = Int(table.pointee.state_size)
        alignment = Int(table.pointee.state_alignment)
        var stored = 0
        let declared = UnsafeBufferPointer(start: table.pointee.fields, count: Int(table.pointee.field_count))
        let shapes = declared.map { StateShape.Field($0) }
        fields = zip(shapes, declared).map { field, place in
            defer { stored += field.size }
            return Placed(
                type: field.type, isOptional: field.isOptional, hasFlag: field.hasFlag, size: field.size,
                offset: Int(place.offset), stored: stored)
        }
        shape = fields.isEmpty ? .saved(version: table.pointee.state_version) : .fields(shapes)
        number = shape.number
        isAligned = fields.allSatisfy { $0.offset == $0.stored } && alignment <= 8 && size <= stored
        isPlain =
            isAligned && size == stored && fields.allSatisfy { $0.size == 8 && $0.type != .boolean }
        storedSize = stored
        others = Constant(.copy(isAligned ? fields.filter { $0.size != 8 || $0.type == .boolean } : fields))
        series = Constant(.copy(fields.filter(\.type.isSeries).map(\.offset)))
        let new = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: max(8, alignment))
        newState = Constant(new)
        new.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        guard !fields.isEmpty else {
            (initial, initialValues) = ([], [])
            return
        }
        table.pointee.state_init?(table.pointee.type, new)
        var writer = ByteWriter()
        let copied = isAligned ? size : 0
        initial = writer.store(new, copying: copied, of: storedSize, but: others.pointer) ? writer.bytes : []
        initialValues = shape.values(in: initial) ?? []
    }

    deinit {
        new.deallocate()
        series.pointer.deallocate()
        others.pointer.deallocate()
    }

    package var table: UnsafePointer<belfry_strategy> { provider.pointer }

    /// A new state of declared fields as the plugin sees it.
    package var new: UnsafeMutableRawPointer { newState.pointer }

    /// Whether the strategy declares its fields, and does not save its state itself.
    package var isDeclared: Bool { !fields.isEmpty }

    /// Whether a question can be lent the state where it is stored.
    var isLentInPlace: Bool { isAligned && series.pointer.isEmpty && isDeclared }

    /// What is stored of declared fields by its keys; nil if a text or list of them makes no sense.
    package func values(in memory: UnsafeRawPointer) -> [StatePair]? {
        var writer = ByteWriter()
        return store(memory, in: &writer) ? shape.values(in: writer.bytes) : nil
    }

    /// Fills the plugin's memory with declared fields of these values. Texts and lists lie in the arena.
    package func load(_ values: [StatePair], into memory: UnsafeMutableRawPointer, _ arena: Arena) {
        load(shape.content(values, initial: initialValues).withUnsafeBytes { arena.copy($0) }, into: memory)
    }

    /// What is stored of declared fields in the plugin's memory.
    ///
    /// - Returns: false if a text or list of it makes no sense.
    func store(_ memory: UnsafeRawPointer, in writer: inout ByteWriter) -> Bool {
        writer.store(memory, copying: isAligned ? size : 0, of: storedSize, but: others.pointer)
    }

    /// Fills the plugin's memory with a state that is stored in this shape. Its texts and lists stay where they are.
    func load(_ content: UnsafeRawPointer, into memory: UnsafeMutableRawPointer) {
        if isAligned {
            memory.copyMemory(from: content, byteCount: size)
        } else {
            memory.copyMemory(from: new, byteCount: size)
            for placed in fields { memory.load(placed, from: content + placed.stored) }
        }
        for offset in series.pointer { memory.lend(at: offset, behind: content) }
    }
}

extension UnsafeMutableBufferPointer {
    fileprivate static func copy(_ elements: [Element]) -> UnsafeMutableBufferPointer {
        let places = UnsafeMutableBufferPointer.allocate(capacity: elements.count)
        _ = places.initialize(from: elements)
        return places
    }
}

extension UnsafeMutableRawPointer {
    /// Copies a field to where the plugin has it.
    fileprivate func load(_ field: StateLayout.Placed, from stored: UnsafeRawPointer) {
        if field.type == .boolean {
            storeBytes(of: stored.load(as: UInt8.self), toByteOffset: field.offset, as: UInt8.self)
        } else {
            // The flag of an optional is a byte: what lies behind it is another field's.
            (self + field.offset).copyMemory(from: stored, byteCount: field.hasFlag ? 9 : field.size)
        }
    }

    /// Makes a text or list, which says where it is stored, one that has its address.
    @inline(__always)
    fileprivate func lend(at offset: Int, behind content: UnsafeRawPointer) {
        let place = Int(loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        storeBytes(of: content + place, toByteOffset: offset, as: UnsafeRawPointer.self)
    }
}

extension StateShape.Field {
    /// A field of the contract, which was checked when its plugin was loaded.
    fileprivate init(_ field: belfry_field) {
        name = field.name.string ?? ""
        type = StateShape.Kind(rawValue: UInt8(truncatingIfNeeded: field.type)) ?? .integer
        isOptional = field.flags & BELFRY_FIELD_OPTIONAL != 0
    }
}

extension ByteWriter {
    /// Appends fields: first as many bytes as are stored as they lie there, then, in their place, the fields that are not.
    ///
    /// - Returns: false if a text is no UTF-8, or a text or list has no address.
    fileprivate mutating func store(
        _ memory: UnsafeRawPointer, copying copied: Int, of size: Int,
        but others: UnsafeMutableBufferPointer<StateLayout.Placed>
    ) -> Bool {
        let start = count
        raw(UnsafeRawBufferPointer(start: memory, count: copied))
        while count - start < size { byte(0) }
        return others.allSatisfy { store($0, from: memory, startingAt: start) }
    }

    @inline(__always)
    private mutating func store(
        _ field: StateLayout.Placed, from memory: UnsafeRawPointer, startingAt start: Int
    ) -> Bool {
        let (place, stored) = (memory + field.offset, start + field.stored)
        if field.type.isSeries { return store(seriesAt: place, of: field.type, in: stored, startingAt: start) }
        if field.type == .boolean {
            let byte = place.load(as: UInt8.self)
            replace(stored, withFixed: UInt64(field.isOptional ? min(byte, 2) : min(byte, 1)))
            return true
        }
        let isAbsent = field.isOptional && place.load(fromByteOffset: 8, as: UInt8.self) != 0
        replace(stored, withFixed: isAbsent ? 0 : place.loadUnaligned(as: UInt64.self))
        if field.hasFlag { replace(stored + 8, withFixed: isAbsent ? 1 : 0) }
        return true
    }

    /// Appends a text or list behind the fields, and says in its field where it is.
    @inline(__always)
    private mutating func store(
        seriesAt place: UnsafeRawPointer, of type: StateShape.Kind, in field: Int, startingAt start: Int
    ) -> Bool {
        guard let bytes = place.series(of: type) else { return false }
        replace(field, withFixed: UInt64(count - start))
        replace(field + 8, withFixed: UInt64(bytes.count / type.elementSize))
        raw(bytes)
        while (count - start) % 8 != 0 { byte(0) }
        return true
    }
}

extension UnsafeRawPointer {
    /// A text or list in a state; nil if it has no address, more than 2^20 elements, or is a text that is no UTF-8.
    fileprivate func series(of type: StateShape.Kind) -> UnsafeRawBufferPointer? {
        let start = loadUnaligned(as: UnsafeRawPointer?.self)
        let count = loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard count <= 1 << 20, start != nil || count == 0 else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(count) * type.elementSize)
        if type == .text, String(validating: bytes, as: UTF8.self) == nil { return nil }
        return bytes
    }
}
