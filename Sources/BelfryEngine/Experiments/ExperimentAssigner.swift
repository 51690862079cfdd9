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
        /// A hash of the assignment: others may have the same.
        let assignment: UInt64
    }

    init(_ catalog: Catalog) {
        experiments = catalog.experiments
        interner = ChainStepInterner(catalog.chain)
        assignment = Array(repeating: -1, count: catalog.experiments.count)
    }

    /// Assigns the candidate to its variants.
    func assign(_ candidate: Candidate, subject: UnsafeRawBufferPointer, _ segment: SegmentProperties) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for (index, experiment) in experiments.enumerated() {
            let variant = experiment.variant(of: subject, segment)
            assignment[index] = variant
            // FNV-1a: a byte for each.
            hash = (hash ^ UInt64(UInt8(bitPattern: variant))) &* 0x100_0000_01B3
        }
        let key = Key(
            trigger: candidate.trigger.address, region: candidate.region?.object.index ?? -1, assignment: hash)
        let known = known[key].flatMap { $0.assignment == assignment ? $0 : nil }
        let steps = known ?? make(key, candidate)
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
