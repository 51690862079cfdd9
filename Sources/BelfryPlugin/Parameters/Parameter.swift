/// One parameter of a `ParameterList`: its description, and where its value goes.
public struct Parameter<List: ParameterList> {
    let description: ParameterDescription
    let read: (ParameterSource, inout List) throws(StrategyError) -> Void
}

extension Parameter {
    /// A parameter that must be given. What `init()` put at `path` is never used.
    ///
    /// - `summary` is one sentence; `unit` is m, s, ms, Hz, …
    /// - `replaces` names parameters that this one stands instead of: giving both at one place is an error, and a more
    ///   specific place of the configuration removes them from the less specific ones.
    public static func required<Type: ParameterValue>(
        _ name: String, _ path: WritableKeyPath<List, Type>, _ summary: String, range: ParameterRange? = nil,
        unit: String? = nil, replaces: [String] = []
    ) -> Parameter {
        Parameter(
            path,
            ParameterDescription(
                name: name, summary: summary, unit: unit, shape: Type.shape, isRequired: true, range: range,
                defaultValue: .none, replaces: replaces))
    }

    /// A parameter that may be left out: then it is what `init()` put at `path`.
    public static func optional<Type: ParameterValue>(
        _ name: String, _ path: WritableKeyPath<List, Type>, _ summary: String, range: ParameterRange? = nil,
        unit: String? = nil, replaces: [String] = []
    ) -> Parameter {
        Parameter(
            path,
            ParameterDescription(
                name: name, summary: summary, unit: unit, shape: Type.shape, isRequired: false, range: range,
                defaultValue: List()[keyPath: path].asDefault, replaces: replaces))
    }

    private init<Type: ParameterValue>(_ path: WritableKeyPath<List, Type>, _ description: ParameterDescription) {
        self.description = description
        self.read = { (source, list) throws(StrategyError) in list[keyPath: path] = try Type.decode(source) }
    }
}

/// What a value may be: numbers as they are, durations by their length, lists and texts by their count. Inclusive.
public struct ParameterRange: Sendable {
    let minimum: Double?
    let maximum: Double?

    public static func atLeast(_ minimum: Double) -> ParameterRange { ParameterRange(minimum: minimum, maximum: nil) }
    public static func atMost(_ maximum: Double) -> ParameterRange { ParameterRange(minimum: nil, maximum: maximum) }
    public static func within(_ range: ClosedRange<Double>) -> ParameterRange {
        ParameterRange(minimum: range.lowerBound, maximum: range.upperBound)
    }

    public static func atLeast(_ minimum: Duration) -> ParameterRange { .atLeast(Double(minimum.milliseconds)) }
    public static func atMost(_ maximum: Duration) -> ParameterRange { .atMost(Double(maximum.milliseconds)) }
    public static func within(_ range: ClosedRange<Duration>) -> ParameterRange {
        .within(Double(range.lowerBound.milliseconds)...Double(range.upperBound.milliseconds))
    }
}
