import BelfryModel

/// Says which variants the candidate of an engine is decided with, and how the chain is asked then.
///
/// There are too many combinations to prepare them all: those that occur are made once and kept.
final class ExperimentAssigner {
    private let experiments: [ExperimentPlan]
    private let interner: ChainStepInterner
    private var known: [Key: AssignedSteps] = [:]
    /// Of the candidate at hand.
    @exclusivity(unchecked) private(set) var assignment: Assignment
    @exclusivity(unchecked) private(set) var current: AssignedSteps?

    /// More combinations than that are forgotten, and made again when they occur.
    private static let limit = 10_000

    private struct Key: Hashable {
        let trigger: UnsafeRawPointer
        let region: Int
        /// The choices as digits, each of the base that its experiment has.
        let choices: UInt64
    }

    init(_ catalog: Catalog) {
        experiments = catalog.experiments
        interner = ChainStepInterner(catalog.chain)
        assignment = Array(repeating: -1, count: catalog.experiments.count)
    }

    /// Assigns the candidate to its variants.
    func assign(_ candidate: Candidate, subject: UnsafeRawBufferPointer, _ segment: SegmentProperties) {
        var choices: UInt64 = 0
        for (index, experiment) in experiments.enumerated() {
            let variant = experiment.variant(of: subject, segment)
            assignment[index] = variant
            choices = choices &* UInt64(experiment.choices) &+ UInt64(variant + 1)
        }
        let key = Key(
            trigger: candidate.trigger.address, region: candidate.region?.object.index ?? -1, choices: choices)
        let steps = known[key] ?? make(key, candidate)
        current = steps
        candidate.assigned = steps.steps.steps
    }

    private func make(_ key: Key, _ candidate: Candidate) -> AssignedSteps {
        if known.count >= Self.limit { known.removeAll() }
        let steps = AssignedSteps(
            candidate.trigger.object, region: candidate.region?.object.index, assignment, interner)
        known[key] = steps
        return steps
    }

    /// The candidate is in no experiment.
    func assignNothing() {
        for index in assignment.indices { assignment[index] = -1 }
        current = nil
    }
}
