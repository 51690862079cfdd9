import BelfryModel
import CBelfry

// The configuration as the engine walks it: references resolved to objects, texts at addresses that C can borrow.

/// A region with what triggers wait for it.
final class RegionPlan: Sendable {
    let index: Int
    let region: Configuration.Region
    let id: CText
    let name: CText
    /// Field values by folded name, for templates.
    let fields: [String: String]
    let enter: [TriggerPlan]
    let exit: [TriggerPlan]
    let dwell: [TriggerPlan]
    /// Those that wait for one of the region's beacons to come near or go away.
    let proximity: [TriggerPlan]

    init(_ region: Configuration.Region, index: Int, triggers: [TriggerPlan]) {
        self.index = index
        self.region = region
        id = CText(region.id)
        name = CText(region.name)
        fields = Dictionary(
            region.fields.entries.map { ($0.key.lowercased(), $0.value.text ?? "") }, uniquingKeysWith: { $1 })
        enter = triggers.filter { $0.event == .enter }
        exit = triggers.filter { $0.event == .exit }
        dwell = triggers.filter { if case .dwell = $0.event { true } else { false } }
        proximity = triggers.filter { $0.thresholds != nil }
    }

    var isGeofence: Bool { center != nil }

    /// Nil for a beacon region.
    var center: Coordinate? {
        if case .geofence(let center, _) = region.kind { center } else { nil }
    }

    /// What fills a placeholder: the region's name, or one of its fields.
    func value(of placeholder: String) -> String? {
        let name = placeholder.lowercased()
        return name == "region" ? region.name : fields[name]
    }
}

/// A campaign with its texts prepared.
final class CampaignPlan: Sendable {
    let index: Int
    let campaign: Configuration.Campaign
    let id: CText
    let title: Template?
    let message: Template?
    let category: CText?
    let groups: [GroupPlan]

    init(
        _ campaign: Configuration.Campaign, index: Int, title: Template?, message: Template?,
        groups: [GroupPlan]
    ) {
        self.index = index
        self.campaign = campaign
        id = CText(campaign.id)
        self.title = title
        self.message = message
        self.groups = groups
        category = campaign.category.map(CText.init)
    }

    var isGeotrigger: Bool { campaign.kind == .geotrigger }

    /// What opening stands for, for the data that is shown: `url` for a web address, unless the configuration says.
    func handler(of data: Value?) -> Configuration.Handler {
        campaign.handler ?? (data?.isWebAddress == true ? .url : .none)
    }
}

final class GroupPlan: Sendable {
    let group: Configuration.Group
    let id: CText

    init(_ group: Configuration.Group) {
        self.group = group
        id = CText(group.id)
    }
}

/// A trigger of a campaign, or the campaign's answer to a request without a trigger for it.
final class TriggerPlan: Sendable {
    let index: Int
    /// Nil when it stands for a request that no trigger of the campaign waits for.
    let trigger: Configuration.Trigger?
    let campaign: CampaignPlan
    let id: CText?
    let event: Configuration.Event
    let eventText: CText
    /// How each chain entry stands to this trigger, by position in the chain.
    let entries: [EntryResolution]

    init(_ trigger: Configuration.Trigger?, index: Int, campaign: CampaignPlan, entries: [EntryResolution]) {
        self.index = index
        self.trigger = trigger
        self.campaign = campaign
        self.entries = entries
        id = trigger.map { CText($0.id) }
        event = trigger?.on ?? .request
        eventText = CText(event.name)
    }

    /// For near and away: near at most `inside` m, away again beyond `outside` m.
    var thresholds: (inside: Double, outside: Double)? {
        switch event {
        case .near(let inside, let outside), .away(let inside, let outside): (inside, outside)
        default: nil
        }
    }

    /// Larger priority first, then in file order.
    static func inOrder(_ left: TriggerPlan, _ right: TriggerPlan) -> Bool {
        let (first, second) = (left.campaign.campaign.priority, right.campaign.campaign.priority)
        return first == second ? inFileOrder(left, right) : first > second
    }

    static func inFileOrder(_ left: TriggerPlan, _ right: TriggerPlan) -> Bool {
        (left.campaign.index, left.index) < (right.campaign.index, right.index)
    }
}

/// A chain entry, ready to be asked.
final class EntryPlan: @unchecked Sendable {
    // Unchecked: the provider's pointers lead to constants.
    let index: Int
    let entry: Configuration.Entry
    let provider: Providers.Strategy
    let schema: ParameterSchema
    let counter: Configuration.Counter
    /// With the entry's own parameters, for hooks that belong to no candidate; else the first that the cascade yields.
    let base: Instance?
    /// Changes when the entry's own parameters change; what `update_parameters` goes by.
    let fingerprint: UInt64

    init(
        _ entry: Configuration.Entry, index: Int, provider: Providers.Strategy, schema: ParameterSchema, base: Instance?
    ) {
        self.index = index
        self.entry = entry
        self.provider = provider
        self.schema = schema
        self.base = base
        counter = entry.per ?? provider.defaultCounter
        fingerprint = stableHash(entry.parameters?.json ?? "")
    }

    var strategy: UnsafePointer<belfry_strategy>? {
        if case .strategy(let table) = provider.kind { table } else { nil }
    }
}

/// What the cascade yields for one entry and one trigger.
struct EntryResolution: Sendable {
    /// One per group of the campaign where the entry counts per group, else exactly one.
    var variants: [Variant]

    struct Variant: Sendable {
        /// The counter's group; nil where the entry does not count per group.
        var group: GroupPlan?
        var base: Resolution
        /// For regions that say something of this entry, by the region's index.
        var byRegion: [Int: Resolution]

        func resolution(in region: RegionPlan?) -> Resolution {
            guard let region, !byRegion.isEmpty else { return base }
            return byRegion[region.index] ?? base
        }
    }
}

enum Resolution: Sendable {
    case off
    /// It needs parameters and has none here: it abstains.
    case unparameterized
    case instance(Instance)
}

extension Providers.Strategy {
    var defaultCounter: Configuration.Counter {
        guard case .strategy(let table) = kind, let text = table.pointee.default_counter.string else { return .subject }
        return Configuration.Counter(text) ?? .subject
    }
}

extension Value {
    /// Whether it is text that starts with http:// or https://.
    var isWebAddress: Bool {
        guard let text = text?.lowercased() else { return false }
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }
}

/// FNV-1a: the same in every process, unlike `Hasher`.
public func stableHash(_ text: String, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    stableHash(text.utf8, seed: seed)
}

public func stableHash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
