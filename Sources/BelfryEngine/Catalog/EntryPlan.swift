import BelfryModel
import CBelfry

/// A chain entry, ready to be asked.
final class EntryPlan: Sendable {
    let index: Int
    let entry: Configuration.Entry
    let provider: Providers.Strategy
    let schema: ParameterSchema
    let counter: Configuration.Counter
    /// With the entry's own parameters, for hooks that belong to no candidate; else the first that the cascade yields.
    let base: Instance?
    /// How it hears of receipts; nil if it does not.
    let receipts: Constant<UnsafePointer<belfry_receipt_hook>>?
    /// Whether it is told only of what was created or deleted.
    let isToldOfHappened: Bool
    /// How its states lie in memory; nil if it keeps none.
    let layout: StateLayout?
    /// The same, and what else a decision needs for its states; nil if it keeps none.
    let states: Constant<UnsafePointer<StatePlan>>?
    /// What records call the owner of its states by.
    let owner: UInt32
    /// A hash of the entry's own parameters, by which it is known that they changed.
    let parametersHash: UInt32
    /// The path of `per: data.<path>`.
    let dataPath: [String]
    /// The beginning of a denial in a decision: before its code, and with the strategy's name for a code.
    let strategyJSON: [UInt8]
    let denialJSON: [UInt8]

    init(
        _ entry: Configuration.Entry, index: Int, provider: Providers.Strategy,
        receipts: Constant<UnsafePointer<belfry_receipt_hook>>?, isToldOfHappened: Bool, schema: ParameterSchema,
        base: Instance?, directory: StateDirectory
    ) {
        self.index = index
        self.entry = entry
        self.provider = provider
        (self.receipts, self.isToldOfHappened) = (receipts, isToldOfHappened)
        self.schema = schema
        self.base = base
        counter = entry.per ?? provider.defaultCounter
        layout = provider.table.flatMap { StateLayout($0) }
        let owner = StateOwner(strategy: entry.strategy, entry: entry.id)
        self.owner = owner.number
        parametersHash = UInt32(truncatingIfNeeded: stableHash(entry.parameters?.json ?? ""))
        if let layout { directory.add(owner, layout.shape) }
        if case .data(let path) = counter {
            dataPath = path.split(separator: ".").map(String.init)
        } else {
            dataPath = []
        }
        strategyJSON = Array("{\"strategy\":\(Value.text(entry.id).json),\"code\":".utf8)
        denialJSON = strategyJSON + Value.text(entry.strategy).json.utf8
        let place = layout.map { _ in UnsafeMutablePointer<StatePlan>.allocate(capacity: 1) }
        states = place.map { Constant(UnsafePointer($0)) }
        if let layout { place?.initialize(to: StatePlan(self, layout)) }
    }

    deinit { states?.pointer.deallocate() }

    /// NULL for a filter.
    var strategy: UnsafePointer<belfry_strategy>? { provider.table }

    /// Its place in the chain, as calls are noted by.
    var number: UInt16 { UInt16(truncatingIfNeeded: index) }

    var filter: UnsafePointer<belfry_filter>? {
        if case .filter(let table) = provider.kind { table.pointer } else { nil }
    }
}

/// What the cascade yields for one entry and one trigger.
struct EntryResolution: Sendable {
    /// One per group of the campaign where the entry counts per group, else exactly one.
    var variants: [Variant]
    /// The experiments that have something to say of the entry.
    var experiments: [Int] = []
    /// The same for every combination of their variants, -1 for none, in the order of `experiments`.
    var byAssignment: [Assignment: [Variant]] = [:]

    init(variants: [Variant]) { self.variants = variants }

    struct Variant: Sendable {
        /// The counter's group; nil where the entry does not count per group.
        var group: GroupPlan?
        var base: Resolution
        /// For regions that say something of this entry, by the region's index.
        var byRegion: [Int: Resolution] = [:]
    }
}

enum Resolution: Sendable {
    case off
    /// It needs parameters and has none here: it abstains.
    case unparameterized
    case instance(Instance)
}

extension Providers.Strategy {
    /// NULL for a filter.
    fileprivate var table: UnsafePointer<belfry_strategy>? {
        if case .strategy(let table) = kind { table.pointer } else { nil }
    }

    var defaultCounter: Configuration.Counter {
        table?.pointee.default_counter.string.flatMap { Configuration.Counter($0) } ?? .subject
    }
}
