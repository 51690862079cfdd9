import BelfryModel

/// An experiment, ready to be asked who is in which variant.
final class ExperimentPlan: Sendable {
    let experiment: Configuration.Experiment
    let id: CText
    private let ranges: [(start: Double, end: Double)]
    private let seed: [UInt8]
    private let condition: Condition.Clause?

    init(_ experiment: Configuration.Experiment) {
        self.experiment = experiment
        id = CText(experiment.id)
        ranges = experiment.ranges
        seed = Array(experiment.seed.utf8)
        condition = experiment.condition?.root
    }

    /// The variant that a subject is in; -1 for none.
    func variant(of subject: UnsafeRawBufferPointer, _ segment: SegmentProperties) -> Int8 {
        if let namespace = experiment.namespace {
            let place = GrowthBookHash.place(inNamespace: namespace.id, value: subject)
            guard place >= namespace.start, place < namespace.end else { return -1 }
        }
        let place = GrowthBookHash.place(seed: seed, value: subject)
        guard let variant = ranges.firstIndex(where: { place >= $0.start && place < $0.end }) else { return -1 }
        if let condition, !condition.holds(for: segment) { return -1 }
        return Int8(variant)
    }
}

/// The variants that a candidate is decided with: by the place of the experiment, -1 for none.
typealias Assignment = [Int8]
