/// A type that a parameter can have.
///
/// `Bool`, `Int`, `Double`, `String`, `Template`, `Duration`, `Condition` and `Value` are; so are enums that are a `ParameterChoice`,
/// structs that are a `ParameterList`, and lists and optionals of these.
public protocol ParameterValue: Sendable {
    /// How the host checks and explains it.
    static var shape: ParameterShape { get }
    /// Makes it from what the host passes, which fits `shape`.
    static func decode(_ source: ParameterSource) throws(StrategyError) -> Self
    /// Makes the parameters of a strategy from nothing, when none are given.
    static func decodeNothing(host: Host) throws(StrategyError) -> Self
    /// How it is shown when it is a default.
    var asDefault: ParameterDefault { get }
}

extension ParameterValue {
    public static func decodeNothing(host: Host) throws(StrategyError) -> Self {
        throw StrategyError("it needs parameters, and none are given")
    }

    public var asDefault: ParameterDefault { .none }
}

/// An enum whose cases, by raw value, are the choices of a parameter.
public protocol ParameterChoice: ParameterValue, RawRepresentable, CaseIterable where RawValue == String {}

/// The type of a parameter, as the host sees it.
public struct ParameterShape {
    var type: UInt32
    var isList = false
    /// Nil stands for a value that may be left out, of the same type.
    var isOptional = false
    var choices: [String] = []
    var members: [ParameterDescription] = []
    /// Only for the root: the strategy cannot do without parameters.
    var isRequired = true
}

/// A default, as `describe` and the JSON Schema show it.
public enum ParameterDefault: Sendable {
    /// There is none, or it cannot be shown.
    case none
    case value(Value)
    case duration(Duration)
}

/// One value as the host passes it. Only good while the parameters are decoded.
public struct ParameterSource {
    let value: UnsafePointer<belfry_value>
    let host: Host

    var kind: UInt32 { value.pointee.kind }
    var items: UnsafeBufferPointer<belfry_value> {
        UnsafeBufferPointer(start: value.pointee.items, count: Int(value.pointee.count))
    }

    func mismatch(_ expected: String) -> StrategyError {
        let name = String(belfry: value.pointee.key).map { "'\($0)'" } ?? "the value"
        return StrategyError("\(name) is \(Value(value).kindName), but \(expected) is wanted")
    }
}
