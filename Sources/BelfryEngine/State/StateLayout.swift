import BelfryModel
import CBelfry

/// How the state of a strategy lies in the memory that the plugin gets, and how it becomes what is stored.
package final class StateLayout: @unchecked Sendable {
    // Unchecked: the memory of a new state, and the list of series, are written once, before they are shared; the table is constant.
    package let table: UnsafePointer<belfry_strategy>
    let shape: StateShape
    /// That of the shape.
    let number: UInt32
    package let size: Int
    package let alignment: Int
    /// Whether the fields lie in the plugin's memory as they are stored, so that it can be lent a state where that lies.
    private let isAligned: Bool
    /// Whether there is nothing but numbers, so that what is stored is a copy of the plugin's memory.
    let isPlain: Bool
    /// Where a text or list is lent from the plugin's memory.
    private let series: UnsafeMutableBufferPointer<Int>
    /// A new state as it is stored. Of one that saves itself there is nothing.
    let initial: [UInt8]
    /// The same by its keys.
    let initialValues: [StatePair]
    /// A new state of declared fields as the plugin sees it.
    package let new: UnsafeMutableRawPointer
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
        self.table = table
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
        let series = fields.filter(\.type.isSeries).map(\.offset)
        self.series = .allocate(capacity: series.count)
        _ = self.series.initialize(from: series)
        new = .allocate(byteCount: size, alignment: max(8, alignment))
        new.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        guard !fields.isEmpty else {
            (initial, initialValues) = ([], [])
            return
        }
        table.pointee.state_init?(table.pointee.type, new)
        var writer = ByteWriter()
        initial = writer.store(new, fields) ? writer.bytes : []
        initialValues = shape.values(in: initial) ?? []
    }

    deinit {
        new.deallocate()
        series.deallocate()
    }

    /// Whether the strategy declares its fields, and does not save its state itself.
    package var isDeclared: Bool { !fields.isEmpty }

    /// Whether a question can be lent the state where it is stored.
    var isLentInPlace: Bool { isAligned && series.isEmpty && isDeclared }

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
        guard isPlain else { return writer.store(memory, fields) }
        writer.raw(UnsafeRawBufferPointer(start: memory, count: size))
        return true
    }

    /// Fills the plugin's memory with a state that is stored in this shape. Its texts and lists stay where they are.
    func load(_ content: UnsafeRawPointer, into memory: UnsafeMutableRawPointer) {
        if isAligned {
            memory.copyMemory(from: content, byteCount: size)
        } else {
            memory.copyMemory(from: new, byteCount: size)
            for placed in fields { memory.load(placed, from: content + placed.stored) }
        }
        for offset in series { memory.lend(at: offset, behind: content) }
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
    /// - Returns: false if a text is no UTF-8, or a text or list has no address.
    fileprivate mutating func store(_ memory: UnsafeRawPointer, _ fields: [StateLayout.Placed]) -> Bool {
        let start = count
        var tail = fields.last.map { $0.stored + $0.size } ?? 0
        for field in fields {
            let place = memory + field.offset
            if field.type.isSeries {
                guard let bytes = place.series(of: field.type) else { return false }
                fixed(UInt64(tail))
                fixed(UInt64(bytes.count / field.type.elementSize))
                tail += paddedToWord(bytes.count)
            } else {
                number(place, field)
            }
        }
        for field in fields where field.type.isSeries {
            raw((memory + field.offset).series(ofChecked: field.type))
            while (count - start) % 8 != 0 { byte(0) }
        }
        return true
    }

    @inline(__always)
    private mutating func number(_ place: UnsafeRawPointer, _ field: StateLayout.Placed) {
        if field.type == .boolean {
            let byte = place.load(as: UInt8.self)
            return fixed(UInt64(field.isOptional ? min(byte, 2) : min(byte, 1)))
        }
        let isAbsent = field.isOptional && place.load(fromByteOffset: 8, as: UInt8.self) != 0
        fixed(isAbsent ? 0 : place.loadUnaligned(as: UInt64.self))
        if field.hasFlag { fixed(UInt64(isAbsent ? 1 : 0)) }
    }
}

extension UnsafeRawPointer {
    /// A text or list in a state; nil if it has no address, more than 2^20 elements, or is a text that is no UTF-8.
    fileprivate func series(of type: StateShape.Kind) -> UnsafeRawBufferPointer? {
        let start = loadUnaligned(as: UnsafeRawPointer?.self)
        let count = loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard count <= 1 << 20, start != nil || count == 0 else { return nil }
        let bytes = series(ofChecked: type)
        if type == .text, String(validating: bytes, as: UTF8.self) == nil { return nil }
        return bytes
    }

    /// The same of one that was found to be right.
    @inline(__always)
    fileprivate func series(ofChecked type: StateShape.Kind) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: loadUnaligned(as: UnsafeRawPointer?.self),
            count: Int(loadUnaligned(fromByteOffset: 8, as: UInt64.self)) * type.elementSize)
    }
}
