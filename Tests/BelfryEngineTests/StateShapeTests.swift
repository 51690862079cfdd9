@testable import BelfryEngine
import BelfryModel
import CBelfry
import Testing

/// How declared fields are stored (docs/state.md).
@Suite struct StateShapeTests {
    @Test func `numbers alone are a word each`() {
        let shape = StateShape.fields([.init(.integer), .init(.instant), .init(.number), .init(.duration)])
        let values = [
            StateValue.integer(-7), .instant(Instant(milliseconds: 8)), .number(-0.0), .duration(.seconds(1)),
        ]
        #expect(shape.content(shape.pairs(values)).count == 32)
        #expect(shape.values(in: shape.content(shape.pairs(values)))?.map(\.value) == values)
        // An instant that is never has no value.
        #expect(shape.values(in: shape.content([]))?.map(\.value) == [.integer(0), .number(0), .duration(.seconds(0))])
    }

    @Test func `what has no value takes a bit`() {
        let shape = StateShape.fields([
            .init(.instants), .init(.integer, isOptional: true), .init(.text), .init(.boolean),
        ])
        #expect(shape.content([]).count == 8)
        #expect(shape.values(in: shape.content([]))?.map(\.value) == [.bool(false)])
        let values = [StateValue.instants([Instant(milliseconds: 1)]), .integer(0), .text("héllo"), .bool(true)]
        let content = shape.content(shape.pairs(values))
        #expect(content.count == 8 + 16 + 8 + 16 + 8)
        #expect(shape.values(in: content)?.map(\.value) == values)
    }

    @Test(arguments: [1, 63, 64, 65, 130]) func `there may be any number of fields`(count: Int) {
        let shape = StateShape.fields((0..<count).map { StateShape.Field($0 == 0 ? .text : .integer, "field \($0)") })
        let values = (1..<count).filter { $0 % 3 > 0 }.map { StatePair(key: "field \($0)", value: .integer(Int64($0))) }
        let content = shape.content(values)
        #expect(content.count == ((count + 63) / 64 + values.count) * 8)
        #expect(shape.values(in: content)?.filter { $0.value != .integer(0) } == values)
    }

    @Test func `the same state is the same bytes, and others are none`() {
        let fields = Self.everyKind
        let shape = StateShape.fields(fields)
        let pairs = zip(fields, Self.someValues).map { StatePair(key: $0.name, value: $1) }
        let content = shape.content(pairs)
        #expect(shape.values(in: content) == pairs)
        for bit in 0..<content.count * 8 {
            var damaged = content
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            guard shape.isSoundHere(damaged), let values = shape.values(in: damaged) else { continue }
            #expect(shape.content(values) == damaged, "bit \(bit)")
        }
        for count in content.indices { #expect(!shape.isSoundHere(Array(content[..<count]))) }
    }

    /// A plugin may have its fields in any order, and more in its state than it declares.
    @Test(arguments: [true, false]) func `memory becomes what is stored and comes back`(isInOrder: Bool) throws {
        let fields = Self.everyKind
        // A list is a place and a count, and a second word says whether an optional field has a value; a Boolean says that itself.
        let sizes = fields.map { $0.type.isSeries || ($0.isOptional && $0.type != .boolean) ? 16 : 8 }
        let offsets = fields.indices.map { index in
            isInOrder ? sizes[..<index].reduce(0, +) : 24 + sizes[(index + 1)...].reduce(0, +)
        }
        let size = sizes.reduce(0, +) + (isInOrder ? 0 : 32)
        let layout = try #require(Self.layout(fields, at: offsets, size: size))
        let arena = Arena()
        let shape = layout.shape
        for mask in stride(from: 0, to: 1 << fields.count, by: 37) {
            let pairs = zip(fields, Self.someValues).enumerated().filter { mask >> $0.offset & 1 == 1 }
                .map { StatePair(key: $0.element.0.name, value: $0.element.1) }
            let content = shape.content(pairs)
            let memory = arena.allocate(bytes: size)
            content.withUnsafeBytes { layout.load($0.baseAddress!, into: memory) }
            #expect(layout.stored(memory, in: arena).map { Array($0) } == content)
            // Two loads are the same memory: by that it is seen whether a hook changed something.
            let other = arena.allocate(bytes: size)
            other.initializeMemory(as: UInt8.self, repeating: 0xAA, count: size)
            content.withUnsafeBytes { layout.load($0.baseAddress!, into: other) }
            let second = try #require(layout.stored(other, in: arena))
            #expect(Array(second) == content)
            arena.reset()
        }
    }

    private static let kinds: [StateShape.Kind] = [
        .boolean, .integer, .number, .instant, .duration, .text, .integers, .instants,
    ]

    private static let everyKind =
        kinds.map { StateShape.Field($0) }
        + kinds.filter { !$0.isSeries }.map { StateShape.Field($0, "optional \($0)", isOptional: true) }

    private static let someValues: [StateValue] = [
        .bool(true), .integer(1), .number(2.5), .instant(Instant(milliseconds: 3)), .duration(.seconds(4)),
        .text("fünf"), .integers([6, 0]), .instants([Instant(milliseconds: 7)]), .bool(false), .integer(0), .number(0),
        .instant(Instant(milliseconds: 8)), .duration(.seconds(0)),
    ]

    private static func layout(_ fields: [StateShape.Field], at offsets: [Int], size: Int) -> StateLayout? {
        let names = fields.map { CText($0.name) }
        let declared = UnsafeMutableBufferPointer<belfry_field>.allocate(capacity: fields.count)
        for (index, field) in fields.enumerated() {
            var c = belfry_field()
            c.name = names[index].c
            (c.type, c.offset) = (UInt32(field.type.rawValue), UInt64(offsets[index]))
            c.flags = field.isOptional ? BELFRY_FIELD_OPTIONAL : 0
            declared.initializeElement(at: index, to: c)
        }
        let table = UnsafeMutablePointer<belfry_strategy>.allocate(capacity: 1)
        table.initialize(to: belfry_strategy())
        defer {
            table.deallocate()
            declared.deallocate()
        }
        (table.pointee.fields, table.pointee.field_count) = (UnsafePointer(declared.baseAddress), UInt64(fields.count))
        (table.pointee.state_size, table.pointee.state_alignment) = (UInt64(size), 8)
        return withExtendedLifetime(names) { StateLayout(table) }
    }
}

extension StateShape.Field {
    fileprivate init(_ type: StateShape.Kind, _ name: String? = nil, isOptional: Bool = false) {
        self.init(name: name ?? "\(type)", type: type, isOptional: isOptional)
    }
}

extension StateShape {
    fileprivate func isSoundHere(_ content: [UInt8]) -> Bool { isSound(content.span.bytes) }

    /// These values under the names of the fields, in their order.
    fileprivate func pairs(_ values: [StateValue]) -> [StatePair] {
        guard case .fields(let fields) = self else { return [] }
        return zip(fields, values).map { StatePair(key: $0.name, value: $1) }
    }
}
