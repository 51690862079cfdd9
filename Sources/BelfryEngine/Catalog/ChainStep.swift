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
    /// Which of the counters of a straight chain it is asked under.
    var place: UInt8 = 0
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
    init(
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
}

extension UnsafeBufferPointer<ChainStep> {
    /// Where the steps lie: to look at one there copies nothing.
    var places: some Sequence<UnsafePointer<ChainStep>> {
        // Where there is an index, there is an address.
        indices.lazy.map { baseAddress! + $0 }
    }
}
