import BelfryEngine
import BelfryModel

/// Which decisions a sink gets: `types` and `when`.
struct SinkFilter: Sendable {
    private let types: Set<String>?
    private let when: Condition?
    private let properties: DecisionProperties

    init(_ sink: Configuration.Sink, _ properties: DecisionProperties) {
        (types, when, self.properties) = (sink.types, sink.when, properties)
    }

    func takes(_ decision: Fields) -> Bool {
        if let types, !types.contains(decision["type"]?.text ?? "") { return false }
        return when?.holds(for: properties.of(decision)) ?? true
    }
}
