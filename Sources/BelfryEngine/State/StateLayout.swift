import BelfryModel
import CBelfry

/// How the state of a strategy lies in the memory that the plugin gets, and how it becomes what is stored.
package final class StateLayout: @unchecked Sendable {
    // Unchecked: the memory of a new state is written once, before it is shared; the table is constant.
    package let table: UnsafePointer<belfry_strategy>
    let shape: StateShape
    /// That of the shape.
    let number: UInt32
    package let size: Int
    package let alignment: Int
    /// Whether what is stored is the plugin's own memory: numbers of 8 bytes side by side.
    let isDirect: Bool
    /// A new state as it is stored. Of one that saves itself there is nothing.
    let initial: [UInt8]
    /// The same by its keys.
    let initialValues: [StatePair]
    /// A new state of declared fields as the plugin sees it.
    package let new: UnsafeMutableRawPointer
    private let fields: [Placed]

    private struct Placed {
        let field: StateShape.Field
        let offset: Int
    }

    /// Nil for a strategy that keeps no state. The table was checked when its plugin was loaded.
    package init?(_ table: UnsafePointer<belfry_strategy>) {
        guard table.pointee.state_size > 0 else { return nil }
        self.table = table
        size = Int(table.pointee.state_size)
        alignment = Int(table.pointee.state_alignment)
        fields = UnsafeBufferPointer(start: table.pointee.fields, count: Int(table.pointee.field_count)).map {
            Placed(field: StateShape.Field($0), offset: Int($0.offset))
        }
        shape = fields.isEmpty ? .saved(version: table.pointee.state_version) : .fields(fields.map(\.field))
        number = shape.number
        isDirect =
            !fields.isEmpty
            && fields.enumerated().allSatisfy { index, placed in
                placed.offset == 8 * index && placed.field.isWord
            } && size == 8 * fields.count
        new = .allocate(byteCount: size, alignment: max(8, alignment))
        new.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        guard !fields.isEmpty else {
            (initial, initialValues) = ([], [])
            return
        }
        table.pointee.state_init?(table.pointee.type, new)
        initial = Self.stored(new, fields)
        initialValues = shape.values(in: initial) ?? []
    }

    deinit { new.deallocate() }

    /// Whether the strategy declares its fields, and does not save its state itself.
    package var isDeclared: Bool { !fields.isEmpty }

    /// What is stored of declared fields by its keys; nil if a text or list of them makes no sense.
    package func values(in memory: UnsafeRawPointer) -> [StatePair]? {
        var writer = ByteWriter()
        return store(memory, in: &writer) ? shape.values(in: writer.bytes) : nil
    }

    /// Fills the plugin's memory with declared fields of these values. Texts and lists lie in the arena.
    package func load(_ values: [StatePair], into memory: UnsafeMutableRawPointer, _ arena: Arena) {
        load(shape.content(values, initial: initialValues).span.bytes, into: memory, arena)
    }

    /// What is stored of a state in the plugin's memory.
    ///
    /// - Returns: nil if a text or list of it makes no sense.
    func store(_ memory: UnsafeRawPointer, in writer: inout ByteWriter) -> Bool {
        guard !isDirect else {
            writer.raw(UnsafeRawBufferPointer(start: memory, count: size))
            return true
        }
        return writer.store(memory, fields.map { ($0.field, $0.offset) })
    }

    private static func stored(_ memory: UnsafeRawPointer, _ fields: [Placed]) -> [UInt8] {
        var writer = ByteWriter()
        guard writer.store(memory, fields.map { ($0.field, $0.offset) }) else { return [] }
        return writer.bytes
    }

    /// Fills the plugin's memory with a state that is stored in this shape. Its texts and lists lie in the arena.
    func load(_ content: RawSpan, into memory: UnsafeMutableRawPointer, _ arena: Arena) {
        if isDirect {
            return content.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: size) }
        }
        memory.copyMemory(from: new, byteCount: size)
        SubjectRecord.sound(.states) { () throws(ByteReader.Damage) in
            var reader = ByteReader(content)
            for placed in fields { try reader.load(placed.field, into: memory + placed.offset, arena) }
        }
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

extension ByteReader {
    @_lifetime(self: copy self)
    fileprivate mutating func load(
        _ field: StateShape.Field, into place: UnsafeMutableRawPointer, _ arena: Arena
    ) throws(Damage) {
        let isThere = field.isOptional ? try bool() : true
        if field.isOptional, field.type != .boolean {
            place.storeBytes(of: isThere ? 0 : 1, toByteOffset: 8, as: UInt8.self)
        }
        switch field.type {
        case .boolean: place.storeBytes(of: isThere ? try byte() : 2, as: UInt8.self)
        case .number: place.storeBytes(of: isThere ? try fixed(UInt64.self) : 0, as: UInt64.self)
        case .integer, .instant, .duration: place.storeBytes(of: isThere ? try signed() : 0, as: Int64.self)
        case .text:
            let utf8 = try utf8()
            place.lend(utf8.withUnsafeBytes { arena.copy($0) }, count: utf8.byteCount)
        case .integers, .instants:
            let count = try count()
            let numbers = arena.allocate(bytes: max(1, count) * 8)
            var last: Int64 = 0
            for index in 0..<count {
                last &+= try signed()
                numbers.storeBytes(of: last, toByteOffset: 8 * index, as: Int64.self)
            }
            place.lend(numbers, count: count)
        }
    }
}

extension ByteWriter {
    /// - Returns: false if a text is no UTF-8, or a text or list has no address.
    fileprivate mutating func store(
        _ memory: UnsafeRawPointer, _ fields: [(field: StateShape.Field, offset: Int)]
    ) -> Bool {
        let areWords = fields.allSatisfy(\.field.isWord)
        for (field, offset) in fields {
            let place = memory + offset
            if field.isOptional { bool(!place.isAbsent(field)) }
            if field.isOptional, place.isAbsent(field) { continue }
            if areWords {
                fixed(place.loadUnaligned(as: UInt64.self))
            } else if !store(place, field.type) {
                return false
            }
        }
        return true
    }

    private mutating func store(_ place: UnsafeRawPointer, _ type: StateShape.Kind) -> Bool {
        switch type {
        case .boolean: bool(place.load(as: UInt8.self) != 0)
        case .number: fixed(place.loadUnaligned(as: UInt64.self))
        case .integer, .instant, .duration: signed(place.loadUnaligned(as: Int64.self))
        case .text:
            guard let utf8 = place.series(of: UInt8.self), String(validating: utf8, as: UTF8.self) != nil else {
                return false
            }
            text(UnsafeRawBufferPointer(utf8))
        case .integers, .instants:
            guard let numbers = place.series(of: Int64.self) else { return false }
            series(numbers)
        }
        return true
    }
}

extension UnsafeRawPointer {
    fileprivate func isAbsent(_ field: StateShape.Field) -> Bool {
        field.type == .boolean ? load(as: UInt8.self) > 1 : load(fromByteOffset: 8, as: UInt8.self) != 0
    }

    /// A text or list in a state; nil if it has no address, or more than 2^20 elements.
    fileprivate func series<Element>(of type: Element.Type) -> UnsafeBufferPointer<Element>? {
        let start = loadUnaligned(as: UnsafeRawPointer?.self)
        let count = loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        guard count <= 1 << 20, start != nil || count == 0 else { return nil }
        return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: Element.self), count: Int(count))
    }
}

extension UnsafeMutableRawPointer {
    /// Makes this a text or list in a state.
    fileprivate func lend(_ start: UnsafeRawPointer, count: Int) {
        storeBytes(of: start, as: UnsafeRawPointer.self)
        storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
    }
}
