import BelfryModel
import CBelfry

/// One question of a chain to a candidate of a trigger, as far as it is known beforehand: an entry with the instance that the
/// cascade yields, under one counter; or an entry that is not asked, and why.
///
/// Plain bytes, so that walking a chain counts no references. What they lead to is kept by the catalog.
struct ChainStep {
    let pointer: UnsafeMutableRawPointer?
    /// NULL for a filter.
    let strategy: UnsafePointer<belfry_strategy>?
    let plan: Unmanaged<EntryPlan>
    let group: Unmanaged<GroupPlan>?
    let instance: Unmanaged<Instance>?
    /// Why it is not asked whatever the candidate; nil if it is.
    let absence: Chain.Absence?
    let control: Configuration.Control
    let isConditional: Bool
    let keepsState: Bool
    let counter: Counter
    /// Whether it is the first, or the last, of its entry: those that count per group have a step for each group.
    var isFirst = false
    var isLast = false
    /// Whether an allow ends the asking.
    var mayEnd: Bool { isLast && control == .sufficient }

    /// Where the key of the counter comes from.
    enum Counter: UInt8 {
        case subject, campaign, trigger, group, channel, region, data
    }

    var entry: EntryPlan { plan.takeUnretainedValue() }
}

extension ChainStep {
    fileprivate init(
        _ plan: EntryPlan, _ group: GroupPlan?, _ absence: Chain.Absence?, _ counter: Counter = .subject,
        _ instance: Instance? = nil
    ) {
        pointer = instance?.pointer
        strategy = plan.strategy
        self.plan = .passUnretained(plan)
        self.group = group.map { .passUnretained($0) }
        self.instance = instance.map { .passUnretained($0) }
        self.absence = absence
        control = plan.entry.control
        isConditional = plan.entry.when != nil
        keepsState = (plan.strategy?.pointee.state_size ?? 0) > 0
        self.counter = counter
    }

    /// What tells it from other steps.
    fileprivate var identity: ChainSteps.Identity {
        ChainSteps.Identity(
            plan: plan.toOpaque(), instance: instance?.toOpaque(), group: group?.toOpaque(), absence: absence,
            counter: counter)
    }
}

extension UnsafeBufferPointer<ChainStep> {
    /// Where the steps lie: to look at one there copies nothing.
    var places: some Sequence<UnsafePointer<ChainStep>> {
        // Where there is an index, there is an address.
        indices.lazy.map { baseAddress! + $0 }
    }
}

/// The steps of a chain for the candidates of some triggers, in order.
final class ChainSteps: @unchecked Sendable {
    // Unchecked: written once, before anybody else sees them.
    let steps: UnsafeBufferPointer<ChainStep>

    fileprivate init(_ list: [ChainStep]) {
        let places = UnsafeMutableBufferPointer<ChainStep>.allocate(capacity: list.count)
        _ = places.initialize(from: list)
        steps = UnsafeBufferPointer(places)
    }

    deinit { steps.deallocate() }

    fileprivate struct Identity: Hashable {
        let plan: UnsafeMutableRawPointer
        let instance: UnsafeMutableRawPointer?
        let group: UnsafeMutableRawPointer?
        let absence: Chain.Absence?
        let counter: ChainStep.Counter
    }
}

/// Makes the steps of a chain, the same ones for all triggers that are asked about in the same way: that is most of them, and what all
/// decisions look at stays near the processor.
final class ChainStepShelf {
    private let chain: [EntryPlan]
    private var known: [[ChainSteps.Identity]: ChainSteps] = [:]

    init(_ chain: [EntryPlan]) { self.chain = chain }

    /// - Parameters:
    ///   - region: its index, if it has parameters of its own.
    ///   - hasTrigger: whether there is a counter per trigger.
    func steps(_ entries: [EntryResolution], region: Int?, hasTrigger: Bool) -> ChainSteps {
        var list: [ChainStep] = []
        for plan in chain {
            var steps = Self.steps(of: plan, entries[plan.index], region, hasTrigger)
            steps[0].isFirst = true
            steps[steps.count - 1].isLast = true
            list += steps
        }
        let identity = list.map(\.identity)
        if let known = known[identity] { return known }
        let steps = ChainSteps(list)
        known[identity] = steps
        return steps
    }

    /// At least one.
    private static func steps(
        of plan: EntryPlan, _ entry: EntryResolution, _ region: Int?, _ hasTrigger: Bool
    ) -> [ChainStep] {
        guard plan.entry.enabled else { return [ChainStep(plan, nil, .disabled)] }
        if entry.variants.isEmpty { return [ChainStep(plan, nil, .uncounted)] }
        return entry.variants.map { variant in
            switch region.flatMap({ variant.byRegion[$0] }) ?? variant.base {
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
