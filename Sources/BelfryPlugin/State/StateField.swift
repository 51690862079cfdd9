/// One field of a state: what it is called, what it means, and where it is.
public struct StateField<State> {
    let name: String
    let summary: String
    let unit: String?
    let type: UInt32
    let isOptional: Bool
    /// Nil for what is not stored.
    let offset: Int?

    /// - Parameters:
    ///   - name: what it is stored and shown under; unique in the state.
    ///   - path: a stored property.
    ///   - summary: one sentence.
    ///   - unit: m, s, Hz, ….
    public init<Value: StateFieldValue>(
        _ name: String, _ path: KeyPath<State, Value>, _ summary: String, unit: String? = nil
    ) {
        (self.name, self.summary, self.unit) = (name, summary, unit)
        (type, isOptional) = (Value.fieldType, Value.isOptionalField)
        offset = MemoryLayout<State>.offset(of: path)
    }
}

/// What a field of a state can be: the types of `StrategyState`, and no others.
public protocol StateFieldValue {
    /// As in the contract, `BELFRY_FIELD_…`.
    static var fieldType: UInt32 { get }
    static var isOptionalField: Bool { get }
}

extension StateFieldValue {
    public static var isOptionalField: Bool { false }
}

extension Int: StateFieldValue { public static var fieldType: UInt32 { BELFRY_FIELD_INTEGER } }
extension Int64: StateFieldValue { public static var fieldType: UInt32 { BELFRY_FIELD_INTEGER } }
extension Double: StateFieldValue { public static var fieldType: UInt32 { BELFRY_FIELD_NUMBER } }
extension Bool: StateFieldValue { public static var fieldType: UInt32 { BELFRY_FIELD_BOOLEAN } }
extension Instant: StateFieldValue { public static var fieldType: UInt32 { BELFRY_FIELD_INSTANT } }
extension Duration: StateFieldValue { public static var fieldType: UInt32 { BELFRY_FIELD_DURATION } }

/// An optional lies in memory as the contract wants it: the value, and behind it whether there is one; a boolean has a third value.
extension Optional: StateFieldValue where Wrapped: StateNumber {
    public static var fieldType: UInt32 { Wrapped.fieldType }
    public static var isOptionalField: Bool { true }
}

/// A field that may be optional.
public protocol StateNumber: StateFieldValue {}

extension Int: StateNumber {}
extension Int64: StateNumber {}
extension Double: StateNumber {}
extension Bool: StateNumber {}
extension Instant: StateNumber {}
extension Duration: StateNumber {}
