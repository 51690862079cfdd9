import BelfryModel

/// How the chain is asked about the candidates of a trigger under one assignment, and which variants have a bearing on what it says.
final class AssignedSteps {
    let assignment: Assignment
    let steps: ChainSteps
    /// For each experiment that the subject is in, the places of the steps whose parameters differ between its variants, however they are
    /// written.
    let bearings: [(experiment: Int, steps: [Int])]

    init(_ trigger: TriggerPlan, region: Int?, _ assignment: Assignment, _ interner: ChainStepInterner) {
        self.assignment = assignment
        steps = interner.steps(
            trigger.entries, region: region, hasTrigger: trigger.trigger != nil, assignment: assignment)
        bearings = assignment.indices.compactMap { experiment in
            guard assignment[experiment] >= 0 else { return nil }
            let steps = Self.steps(of: trigger, region, experiment, assignment, interner)
            return steps.isEmpty ? nil : (experiment, steps)
        }
    }

    private static func steps(
        of trigger: TriggerPlan, _ region: Int?, _ experiment: Int, _ assignment: Assignment,
        _ interner: ChainStepInterner
    ) -> [Int] {
        var (differing, place): ([Int], Int) = ([], 0)
        for plan in interner.chain {
            let entry = trigger.entries[plan.index]
            let count = plan.entry.enabled ? max(1, entry.variants.count) : 1
            defer { place += count }
            guard plan.entry.enabled, entry.experiments.contains(experiment) else { continue }
            let all = entry.alternatives(to: assignment, in: experiment)
            differing += entry.variants.indices.filter { index in
                Set(all.map { $0[index].resolution(in: region).meaning(by: plan.schema) }).count > 1
            }.map { place + $0 }
        }
        return differing
    }
}

extension EntryResolution {
    /// What the cascade yields under an assignment.
    func variants(for assignment: Assignment) -> [Variant] {
        if experiments.isEmpty { return variants }
        return byAssignment[experiments.map { assignment[$0] }] ?? variants
    }

    /// The same for each variant of an experiment, whatever the subject is in.
    fileprivate func alternatives(to assignment: Assignment, in experiment: Int) -> [[Variant]] {
        guard let place = experiments.firstIndex(of: experiment) else { return [] }
        var key = experiments.map { assignment[$0] }
        var alternatives: [[Variant]] = []
        for variant in Int8(0)...Int8.max {
            key[place] = variant
            guard let variants = byAssignment[key] else { break }
            alternatives.append(variants)
        }
        return alternatives
    }
}

extension EntryResolution.Variant {
    func resolution(in region: Int?) -> Resolution { region.flatMap { byRegion[$0] } ?? base }
}

extension Resolution {
    /// What the parameters say; nil where the entry is not asked, because it is off or has none: that is all the same to a candidate.
    fileprivate func meaning(by schema: ParameterSchema) -> Value? {
        switch self {
        case .off, .unparameterized: nil
        case .instance(let instance): schema.meaning(of: instance.parameters ?? [:])
        }
    }
}
