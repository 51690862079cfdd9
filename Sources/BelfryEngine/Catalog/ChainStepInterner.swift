import BelfryModel

/// The steps of a chain for the candidates of some triggers, in order.
final class ChainSteps: Sendable {
    let places: Constant<UnsafeBufferPointer<ChainStep>>

    init(_ list: [ChainStep]) {
        let places = UnsafeMutableBufferPointer<ChainStep>.allocate(capacity: list.count)
        _ = places.initialize(from: list)
        self.places = Constant(UnsafeBufferPointer(places))
    }

    deinit { places.pointer.deallocate() }

    var steps: UnsafeBufferPointer<ChainStep> { places.pointer }
}

/// Makes the steps of a chain, the same ones for all triggers that are asked about in the same way: that is most of them, and what all
/// decisions read stays in the cache.
final class ChainStepInterner {
    let chain: [EntryPlan]
    private var known: [[Identity]: ChainSteps] = [:]

    /// What tells a step from others.
    private struct Identity: Hashable {
        let plan: UnsafeRawPointer
        let instance: UnsafeMutableRawPointer?
        let group: UnsafeRawPointer?
        let skip: SkipReason?
        let counter: ChainStep.Counter

        init(_ step: ChainStep) {
            (plan, instance, group) = (step.plan.address, step.instance, step.group?.address)
            (skip, counter) = (step.skip, step.counter)
        }
    }

    init(_ chain: [EntryPlan]) { self.chain = chain }

    /// - Parameters:
    ///   - region: its index, if it has parameters of its own.
    ///   - hasTrigger: whether there is a counter per trigger.
    ///   - assignment: the variants that the subject is in; empty for none.
    func steps(
        _ entries: [EntryResolution], region: Int?, hasTrigger: Bool, assignment: Assignment = []
    ) -> ChainSteps {
        var list: [ChainStep] = []
        for plan in chain {
            var steps = Self.steps(of: plan, entries[plan.index], region, hasTrigger, assignment)
            steps[0].isFirst = true
            steps[steps.count - 1].isLast = true
            list += steps
        }
        let identity = list.map(Identity.init)
        if let known = known[identity] { return known }
        let steps = ChainSteps(list)
        known[identity] = steps
        return steps
    }

    /// At least one.
    private static func steps(
        of plan: EntryPlan, _ entry: EntryResolution, _ region: Int?, _ hasTrigger: Bool,
        _ assignment: Assignment
    ) -> [ChainStep] {
        guard plan.entry.enabled else { return [ChainStep(plan, nil, .disabled)] }
        if entry.variants.isEmpty { return [ChainStep(plan, nil, .uncounted)] }
        let variants = assignment.isEmpty ? entry.variants : entry.variants(for: assignment)
        return variants.map { variant in
            switch variant.resolution(in: region) {
            case .off: return ChainStep(plan, variant.group, .off)
            case .unparameterized: return ChainStep(plan, variant.group, .unparameterized)
            case .instance(let instance):
                guard let counter = counter(of: plan, variant.group, hasTrigger) else {
                    return ChainStep(plan, variant.group, .uncounted)
                }
                return ChainStep(plan, variant.group, nil, counter, instance)
            }
        }
    }

    private static func counter(of plan: EntryPlan, _ group: GroupPlan?, _ hasTrigger: Bool) -> ChainStep.Counter? {
        switch plan.counter {
        case .subject: .subject
        case .campaign: .campaign
        case .trigger: hasTrigger ? .trigger : nil
        case .group: group == nil ? nil : .group
        case .channel: .channel
        case .region: .region
        case .data: .data
        }
    }
}
