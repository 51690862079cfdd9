import BelfryModel
import CBelfry

/// One question of a chain to a candidate of a trigger, as far as it is known beforehand: an entry with the instance that the
/// cascade yields, under one counter; or an entry that is not asked, and why.
///
/// Plain bytes, so that walking a chain counts no references. What they lead to is kept by the catalog.
struct ChainStep {
    let plan: Unmanaged<EntryPlan>
    let group: Unmanaged<GroupPlan>?
    /// Why it is not asked whatever the candidate; nil if it is.
    let absence: Chain.Absence?
    let control: Configuration.Control
    let isConditional: Bool
    /// Whether it is the first, or the last, of its entry: those that count per group have a step for each group.
    var isFirst = false
    var isLast = false
    let counter: Counter
    /// NULL for a filter.
    let strategy: UnsafePointer<belfry_strategy>?
    let filter: UnsafePointer<belfry_filter>?
    let keepsState: Bool
    let instance: Unmanaged<Instance>?
    let pointer: UnsafeMutableRawPointer?

    /// Where the key of the counter comes from.
    enum Counter {
        /// From the configuration, or the subject's own.
        case fixed(CounterKey)
        case channel, region, data
    }

    var entry: EntryPlan { plan.takeUnretainedValue() }
}

extension ChainStep {
    fileprivate init(
        _ plan: EntryPlan, _ group: GroupPlan?, _ absence: Chain.Absence?, _ counter: Counter = .fixed(.subject),
        _ instance: Instance? = nil
    ) {
        self.plan = .passUnretained(plan)
        self.group = group.map { .passUnretained($0) }
        self.absence = absence
        control = plan.entry.control
        isConditional = plan.entry.when != nil
        self.counter = counter
        strategy = plan.strategy
        filter = plan.filter
        keepsState = (plan.strategy?.pointee.state_size ?? 0) > 0
        self.instance = instance.map { .passUnretained($0) }
        pointer = instance?.pointer
    }
}

extension UnsafeBufferPointer<ChainStep> {
    /// Where the steps lie: to look at one there copies nothing.
    var places: some Sequence<UnsafePointer<ChainStep>> {
        // Where there is an index, there is an address.
        indices.lazy.map { baseAddress! + $0 }
    }
}

/// The steps of a chain for the candidates of one trigger, in order.
final class ChainSteps: @unchecked Sendable {
    // Unchecked: written once, before anybody else sees them.
    let steps: UnsafeBufferPointer<ChainStep>

    /// - Parameters:
    ///   - region: its index, if it has parameters of its own.
    ///   - trigger: the key of counters per trigger; nil where they do not apply.
    init(
        _ chain: [EntryPlan], _ entries: [EntryResolution], region: Int?, campaign: CampaignPlan, trigger: CText?
    ) {
        var list: [ChainStep] = []
        for plan in chain {
            var steps = Self.steps(of: plan, entries[plan.index], region, campaign, trigger)
            steps[0].isFirst = true
            steps[steps.count - 1].isLast = true
            list += steps
        }
        let places = UnsafeMutableBufferPointer<ChainStep>.allocate(capacity: list.count)
        _ = places.initialize(from: list)
        steps = UnsafeBufferPointer(places)
    }

    deinit { steps.deallocate() }

    /// At least one.
    private static func steps(
        of plan: EntryPlan, _ entry: EntryResolution, _ region: Int?, _ campaign: CampaignPlan, _ trigger: CText?
    ) -> [ChainStep] {
        guard plan.entry.enabled else { return [ChainStep(plan, nil, .disabled)] }
        if entry.variants.isEmpty { return [ChainStep(plan, nil, .uncounted)] }
        return entry.variants.map { variant in
            switch region.flatMap({ variant.byRegion[$0] }) ?? variant.base {
            case .off: return ChainStep(plan, variant.group, .off)
            case .unparameterized: return ChainStep(plan, variant.group, .unparameterized)
            case .instance(let instance):
                guard let counter = counter(of: plan, variant.group, campaign, trigger) else {
                    return ChainStep(plan, variant.group, .uncounted)
                }
                return ChainStep(plan, variant.group, nil, counter, instance)
            }
        }
    }

    private static func counter(
        of plan: EntryPlan, _ group: GroupPlan?, _ campaign: CampaignPlan, _ trigger: CText?
    ) -> ChainStep.Counter? {
        switch plan.counter {
        case .subject: .fixed(.subject)
        case .campaign: .fixed(CounterKey(campaign.id))
        case .trigger: trigger.map { .fixed(CounterKey($0)) }
        case .group: group.map { .fixed(CounterKey($0.id)) }
        case .channel: .channel
        case .region: .region
        case .data: .data
        }
    }
}
