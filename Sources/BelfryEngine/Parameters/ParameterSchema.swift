import BelfryModel
import CBelfry

/// The description of a parameter, read from a plugin once: what checks, merges, documentation and JSON Schema go by.
public struct ParameterSchema: Sendable {
    public var name: String
    public var summary: String
    public var type: Kind
    public var isList: Bool
    public var isRequired: Bool
    public var minimum: Double?
    public var maximum: Double?
    public var defaultValue: Value?
    /// Parameters that this one stands instead of.
    public var replaces: [String]

    public indirect enum Kind: Sendable {
        case boolean, integer, number, text, duration, condition, any, none
        case choice([String])
        case object([ParameterSchema])
    }

    /// What a strategy without parameters has.
    public static let none = ParameterSchema(kind: .none)

    package init(kind: Kind) {
        (name, summary, type, isList, isRequired, replaces) = ("", "", kind, false, false, [])
    }

    /// Copies a description that has been checked by the loader.
    public init(_ c: belfry_parameter) {
        name = c.name.string ?? ""
        summary = c.summary.string ?? ""
        type = Kind(c)
        isList = c.flags & BELFRY_PARAMETER_IS_LIST != 0
        isRequired = c.flags & BELFRY_PARAMETER_REQUIRED != 0
        minimum = c.flags & BELFRY_PARAMETER_HAS_MINIMUM != 0 ? c.minimum : nil
        maximum = c.flags & BELFRY_PARAMETER_HAS_MAXIMUM != 0 ? c.maximum : nil
        defaultValue = c.default_value.map { Value($0.pointee) }
        replaces = texts(c.replaces, c.replaces_count)
    }

    public init(root: UnsafePointer<belfry_parameter>?) {
        self = root.map { ParameterSchema($0.pointee) } ?? .none
    }

    public var members: [ParameterSchema] {
        if case .object(let members) = type { members } else { [] }
    }

    /// Whether a strategy with this root can do without any parameters.
    var isComplete: Bool {
        !isRequired && !members.contains(where: \.isRequired)
    }
}

extension ParameterSchema.Kind {
    fileprivate init(_ c: belfry_parameter) {
        switch c.type {
        case BELFRY_PARAMETER_BOOLEAN: self = .boolean
        case BELFRY_PARAMETER_INTEGER: self = .integer
        case BELFRY_PARAMETER_NUMBER: self = .number
        case BELFRY_PARAMETER_TEXT: self = .text
        case BELFRY_PARAMETER_DURATION: self = .duration
        case BELFRY_PARAMETER_CONDITION: self = .condition
        case BELFRY_PARAMETER_CHOICE: self = .choice(texts(c.choices, c.choice_count))
        case BELFRY_PARAMETER_OBJECT:
            self = .object(
                UnsafeBufferPointer(start: c.members, count: Int(c.member_count)).map { ParameterSchema($0) })
        case BELFRY_PARAMETER_NONE: self = .none
        default: self = .any
        }
    }
}

/// A list of texts of a plugin, which the loader has checked.
package func texts(_ start: UnsafePointer<belfry_text>?, _ count: UInt64) -> [String] {
    UnsafeBufferPointer(start: start, count: Int(count)).map { $0.string ?? "" }
}
