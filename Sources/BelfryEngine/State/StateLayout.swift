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
    private let places: StatePlaces
    /// A new state as it is stored. Of one that saves itself there is nothing.
    let initial: [UInt8]
    /// The same by its keys.
    let initialValues: [StatePair]
    private let newState: Constant<UnsafeMutableRawPointer>

    /// Nil for a strategy that keeps no state. The table was checked when its plugin was loaded.
    package init?(_ table: UnsafePointer<belfry_strategy>) {
        guard table.pointee.state_size > 0 else { return nil }
        provider = Constant(table)
        size = Int(table.pointee.state_size)
        alignment = Int(table.pointee.state_alignment)
        let declared = UnsafeBufferPointer(start: table.pointee.fields, count: Int(table.pointee.field_count))
        let shapes = declared.map { StateShape.Field($0) }
        shape = shapes.isEmpty ? .saved(version: table.pointee.state_version) : .fields(shapes)
        number = shape.number
        let new = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: max(8, alignment))
        newState = Constant(new)
        new.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        if !shapes.isEmpty { table.pointee.state_init?(table.pointee.type, new) }
        places = StatePlaces(shapes, at: declared.map { Int($0.offset) }, size: size, new: new)
        guard !shapes.isEmpty else {
            (initial, initialValues) = ([], [])
            return
        }
        initial = places.stored(new) ?? []
        initialValues = shape.values(in: initial) ?? []
    }

    deinit {
        new.deallocate()
        places.deallocate()
    }

    package var table: UnsafePointer<belfry_strategy> { provider.pointer }

    /// A new state of declared fields as the plugin sees it.
    package var new: UnsafeMutableRawPointer { newState.pointer }

    /// Whether the strategy declares its fields, and does not save its state itself.
    package var isDeclared: Bool { !places.isEmpty }

    /// Whether what is stored is a copy of the plugin's memory, so that a question can be lent the state where it is stored.
    var isPlain: Bool { isDeclared && places.isPlain && alignment <= 8 }

    /// What is stored of declared fields by its keys; nil if a text or list of them makes no sense.
    package func values(in memory: UnsafeRawPointer) -> [StatePair]? {
        places.stored(memory).flatMap { shape.values(in: $0) }
    }

    /// Fills the plugin's memory with declared fields of these values. Texts and lists lie in the arena.
    package func load(_ values: [StatePair], into memory: UnsafeMutableRawPointer, _ arena: Arena) {
        load(values, of: nil, into: memory, arena)
    }

    /// - Parameter shape: of the state that had these values; nil: of none.
    func load(
        _ values: [StatePair], of shape: StateShape?, into memory: UnsafeMutableRawPointer, _ arena: Arena
    ) {
        let content = self.shape.content(values, of: shape, initial: initialValues)
        load(content.withUnsafeBytes { arena.copy($0) }, into: memory)
    }

    /// The same of what `values(in:)` told.
    package func restore(_ values: [StatePair], into memory: UnsafeMutableRawPointer, _ arena: Arena) {
        load(values, of: shape, into: memory, arena)
    }

    /// What is stored of declared fields in the plugin's memory, in the arena; nil if a text or list makes no sense.
    func stored(_ memory: UnsafeRawPointer, in arena: Arena) -> UnsafeRawBufferPointer? {
        guard let length = places.length(memory) else { return nil }
        let stored = arena.allocate(bytes: length, alignment: 8)
        return UnsafeRawBufferPointer(start: stored, count: places.store(memory, to: stored))
    }

    /// Why declared fields in the plugin's memory cannot be stored, in a sentence.
    package func misfit(in memory: UnsafeRawPointer) -> String {
        guard let (field, what) = places.misfit(memory) else { return "it left a state that makes no sense" }
        return "it left '\(table.pointee.fields[field].name.string ?? "")' in its state as \(what)"
    }

    /// Fills the plugin's memory with a state that is stored in this shape. Its texts and lists stay where they are.
    func load(_ content: UnsafeRawPointer, into memory: UnsafeMutableRawPointer) {
        places.load(content, into: memory)
    }
}

extension StatePlaces {
    fileprivate func stored(_ memory: UnsafeRawPointer) -> [UInt8]? {
        length(memory).map { length in
            Array(unsafeUninitializedCapacity: length) { bytes, count in
                // A state that declares fields has bytes.
                count = store(memory, to: UnsafeMutableRawPointer(bytes.baseAddress!))
            }
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
