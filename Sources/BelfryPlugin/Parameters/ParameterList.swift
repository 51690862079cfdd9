/// The parameters of a strategy, or a mapping among them: each described once, by its key path.
///
///     struct Parameters: ParameterList {
///         var period = Duration.zero
///         var from = Anchor.creation
///
///         static var parameters: [Parameter<Self>] {
///             [
///                 .required("period", \.period, "how long nothing more is created", range: .atLeast(.zero)),
///                 .optional("from", \.from, "what the period counts from"),
///             ]
///         }
///     }
///
/// The host checks and explains them from that, and they are decoded from that. Defaults are those of `init()`.
public protocol ParameterList: ParameterValue {
    init()
    static var parameters: [Parameter<Self>] { get }
    /// Whether a strategy cannot do without. Default: whether one of them is required.
    static var isRequired: Bool { get }
}

extension ParameterList {
    public static var isRequired: Bool { parameters.contains { $0.description.isRequired } }

    public static var shape: ParameterShape {
        ParameterShape(
            type: BELFRY_PARAMETER_OBJECT, members: parameters.map(\.description), isRequired: isRequired)
    }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Self {
        guard source.kind == BELFRY_MAP else { throw source.mismatch("a mapping") }
        var list = Self()
        for parameter in parameters {
            if let member = source.member(parameter.description.name) {
                try parameter.read(member, &list)
            } else if parameter.description.isRequired, !isReplaced(parameter, in: source) {
                throw StrategyError("'\(parameter.description.name)' is missing: \(parameter.description.summary)")
            }
        }
        return list
    }

    /// What stands instead of a required parameter makes it dispensable, as the host sees it too.
    private static func isReplaced(_ parameter: Parameter<Self>, in source: ParameterSource) -> Bool {
        parameters.contains {
            $0.description.replaces.contains(parameter.description.name) && source.member($0.description.name) != nil
        }
    }

    public static func decodeNothing(host: Host) throws(StrategyError) -> Self {
        if isRequired { throw StrategyError("it needs parameters, and none are given") }
        return Self()
    }
}

extension ParameterSource {
    /// The member of a mapping; nil if it is not given, or given as null.
    func member(_ name: String) -> ParameterSource? {
        guard let index = items.firstIndex(where: { String(belfry: $0.key) == name }) else { return nil }
        return items[index].kind == BELFRY_NULL ? nil : ParameterSource(value: items.baseAddress! + index, host: host)
    }
}

/// The parameters of a strategy that takes none.
public struct NoParameters: ParameterList {
    public init() {}
    public static var parameters: [Parameter<NoParameters>] { [] }
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_NONE, isRequired: false) }
}
