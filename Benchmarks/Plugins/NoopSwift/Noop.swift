import BelfryPlugin

/// A strategy in Swift that allows everything and remembers nothing: what is left is what it costs to call it.
struct Noop: Strategy {
    static let name = "noop-swift"
    static let summary = "Allows everything."
    /// Although it remembers nothing: two hooks are to be measured.
    static let outcomes = ToldOutcomes.all

    init(_ parameters: NoParameters, host: Host) {}

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict { .allow }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout NoState, context: Context) {}
}
