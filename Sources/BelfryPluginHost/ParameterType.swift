import CBelfry

/// The types that a parameter description may name; raw values as in `parameters.h`.
///
/// The names are those of manifests and listings.
enum ParameterType: UInt32, CaseIterable {
    case boolean = 1
    case integer, number, text, duration, choice, condition, object, any, none

    var name: String { "\(self)" }

    /// As in "it is a duration".
    var noun: String {
        switch self {
        case .integer: "a whole number"
        case .text: "text"
        case .object: "a mapping"
        case .any: "any value"
        case .none: "no parameter"
        default: "a \(name)"
        }
    }

    /// Numbers by their value, durations in ms, texts by their length.
    var hasRange: Bool { [.integer, .number, .text, .duration].contains(self) }

    /// What is wrong with a bound, which nothing could be compared with; nil if nothing is.
    ///
    /// - Parameter isList: whether it is one of the length of a list.
    func problem(withBound bound: Double, ofList isList: Bool) -> String? {
        if !bound.isFinite { return "is no finite number" }
        if self == .number, !isList { return nil }
        if abs(bound) > 0x1p53 || bound != bound.rounded() { return "is no whole number up to 2^53" }
        return bound < 0 && (isList || self != .integer) ? "is below 0" : nil
    }

    /// The kinds that a value of this type may have in C; nil: any.
    var kinds: [UInt32]? {
        switch self {
        case .boolean: [BELFRY_BOOLEAN]
        case .integer: [BELFRY_INTEGER]
        case .number: [BELFRY_NUMBER, BELFRY_INTEGER]
        case .text, .choice: [BELFRY_TEXT]
        case .duration: [BELFRY_DURATION]
        case .condition, .object: [BELFRY_MAP]
        case .any: nil
        case .none: []
        }
    }
}

enum ParameterFlags {
    static let required = BELFRY_PARAMETER_REQUIRED
    static let list = BELFRY_PARAMETER_IS_LIST
    static let known = required | list | BELFRY_PARAMETER_HAS_MINIMUM | BELFRY_PARAMETER_HAS_MAXIMUM
}

extension belfry_parameter {
    var isList: Bool { flags & ParameterFlags.list != 0 }
}

/// The bounds that a parameter says it has.
struct ParameterRange {
    let minimum: Double?
    let maximum: Double?

    init(_ parameter: UnsafePointer<belfry_parameter>) {
        let flags = parameter.pointee.flags
        minimum = flags & BELFRY_PARAMETER_HAS_MINIMUM != 0 ? parameter.pointee.minimum : nil
        maximum = flags & BELFRY_PARAMETER_HAS_MAXIMUM != 0 ? parameter.pointee.maximum : nil
    }
}

/// `3` rather than `3.0`.
func plain(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
}

/// `a, b and c`.
package func listed(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " and " + last
}
