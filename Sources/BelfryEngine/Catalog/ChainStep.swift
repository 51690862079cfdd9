import BelfryModel
import CBelfry

/// One question of a chain to a candidate of a trigger, as far as it is known beforehand: an entry with the instance that the
/// cascade yields, under one counter; or an entry that is not asked, and why.
///
/// Plain bytes, so that walking a chain counts no references. What they lead to is kept by the catalog.
struct ChainStep {
    let instance: UnsafeMutableRawPointer?
    /// NULL for a filter.
    let strategy: UnsafePointer<belfry_strategy>?
    let plan: Lent<EntryPlan>
    /// NULL if it keeps none.
    let states: UnsafePointer<StatePlan>?
    /// The place of the entry in the chain.
    let entry: UInt16
    let group: Lent<GroupPlan>?
    /// The resolved parameters of the instance.
    let parameters: Lent<Instance>?
    /// Why it is not asked whatever the candidate; nil if it is.
    let skip: SkipReason?
    let control: Configuration.Control
    let isConditional: Bool
    /// Whether it is asked about every candidate.
    let isAlwaysAsked: Bool
    let counter: Counter
    /// Whether it is told only of what was created or deleted.
    let isToldOfHappened: Bool
    /// Whether it is the first, or the last, of its entry: those that count per group have a step for each group.
    var isFirst = false
    var isLast = false
    /// Whether an allow ends the asking.
    var mayEnd: Bool { isLast && control == .sufficient }

    /// Where the key of the counter comes from.
    enum Counter: UInt8 {
        case subject, campaign, trigger, group, channel, region, data
    }

    init(
        _ plan: EntryPlan, _ group: GroupPlan?, _ skip: SkipReason?, _ counter: Counter = .subject,
        _ instance: Instance? = nil
    ) {
        self.instance = instance?.pointer
        strategy = plan.strategy
        self.plan = Lent(plan)
        states = plan.states?.pointer
        entry = plan.number
        self.group = group.map { Lent($0) }
        parameters = instance.map { Lent($0) }
        self.skip = skip
        control = plan.entry.control
        isConditional = plan.entry.when != nil
        self.counter = counter
        isToldOfHappened = plan.isToldOfHappened
        isAlwaysAsked =
            skip == nil && !isConditional && strategy != nil && (counter == .subject || counter == .campaign)
    }
}

/// Why an entry is not asked about a candidate.
enum SkipReason: String {
    /// `enabled: false`.
    case disabled
    /// `off` in the cascade.
    case off
    /// It needs parameters and has none here.
    case unparameterized = "no-parameters"
    /// The candidate has nothing of the kind that it counts by.
    case uncounted = "no-counter"
    /// Its `when` does not hold.
    case conditionNotMet = "when"
    /// A filter, of a landing page.
    case landingPage = "landing-page"
    /// A filter, after something was denied.
    case deniedBefore = "denied-before"
    /// A `sufficient` entry before it allowed.
    case allowedBefore = "allowed-before"
}
