/// A condition in the language of the configuration, compiled by the host.
///
/// As a parameter it is compiled when the parameters are decoded; as the `Parameters` of a strategy it is all of them.
public final class Condition: Sendable {
    /// The mapping that was compiled.
    public let source: Fields
    /// As the host has compiled it, which evaluates it on any thread; nil: none.
    private let place: Constant<(compiled: OpaquePointer, table: UnsafePointer<belfry_conditions>)>?

    /// No condition: it always holds. For the default of a parameter.
    public init() {
        source = Fields()
        place = nil
    }

    /// Compiles a mapping. Throws the host's sentence if it is wrong, or if the host has no conditions.
    public convenience init(_ source: Fields, host: Host) throws(StrategyError) {
        let arena = Arena()
        var value = arena.value(.map(source))
        defer { withExtendedLifetime(arena) {} }
        try self.init(&value, host: host)
    }

    init(_ value: UnsafePointer<belfry_value>, host: Host) throws(StrategyError) {
        try host.require(.conditions, for: "conditions")
        let (compiled, message) = withSink { [table = host.conditions] in table?.pointee.compile(host.raw, value, $0) }
        guard let compiled, let table = host.conditions else {
            throw StrategyError(message ?? "the condition is wrong, and the host does not say why")
        }
        self.source = Value(value).map ?? Fields()
        place = Constant((compiled, table))
    }

    /// Whether it holds for the subject of `context` and, if given, for the candidate.
    public func holds(for candidate: Candidate?, context: Context) -> Bool {
        guard let (compiled, table) = place?.pointer else { return true }
        return table.pointee.holds(compiled, candidate?.raw, context.raw) != 0
    }

    /// Whether it holds for one of the current notifications of the subject, by its index.
    func holds(forCurrent index: UInt64, context: Context) -> Bool {
        guard let compiled = place?.pointer.compiled else { return true }
        return context.host.current?.pointee.holds(context.raw, index, compiled) ?? 0 != 0
    }

    deinit {
        if let (compiled, table) = place?.pointer { table.pointee.release(compiled) }
    }
}

extension Condition: ParameterValue {
    public static var shape: ParameterShape { ParameterShape(type: BELFRY_PARAMETER_CONDITION) }

    public static func decode(_ source: ParameterSource) throws(StrategyError) -> Condition {
        try Condition(source.value, host: source.host)
    }
}
