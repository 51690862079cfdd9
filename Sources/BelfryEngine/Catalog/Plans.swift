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
    /// Its fields as a plugin sees them.
    let cFields: Constant<belfry_value>
    /// The member of a decision that names it, after a comma.
    let json: [UInt8]
    private let constants: Constants

    init(_ region: Configuration.Region, index: Int, triggers: [TriggerPlan], constants: Constants) {
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
        self.constants = constants
        cFields = constants.value(.map(region.fields))
        json = Array(",\"region\":\(Value.text(region.id).json)".utf8)
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
    let groups: [GroupPlan]
    /// What is shown where no region, request or filter has a say; nil if its texts have placeholders.
    let content: Decision.Content?
    let isFixed: Bool
    let hasCategory: Bool
    /// The members of a decision that show it.
    let contentJSON: [UInt8]

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
        hasCategory = campaign.category != nil
        isFixed = (title == nil || title?.literal != nil) && (message == nil || message?.literal != nil)
        content =
            isFixed
            ? Decision.Content(
                title: title?.literal, message: message?.literal, data: campaign.data,
                presentation: campaign.presentation,
                handler: Self.handler(of: campaign.data, campaign).rawValue, category: campaign.category) : nil
        contentJSON = content?.json ?? []
    }

    var isGeotrigger: Bool { campaign.kind == .geotrigger }

    /// What opening stands for, for the data that is shown: `url` for a web address, unless the configuration says.
    func handler(of data: Value?) -> Configuration.Handler { Self.handler(of: data, campaign) }

    private static func handler(of data: Value?, _ campaign: Configuration.Campaign) -> Configuration.Handler {
        campaign.handler ?? (data?.isWebAddress == true ? .url : .none)
    }
}

final class GroupPlan: Sendable {
    let index: Int
    let group: Configuration.Group
    let id: CText

    init(_ group: Configuration.Group, index: Int) {
        self.index = index
        self.group = group
        id = CText(group.id)
    }
}

/// A trigger of a campaign, or the campaign's answer to a request without a trigger for it.
///
/// What every decision reads comes first, side by side: of many campaigns it is far from the processor each time.
final class TriggerPlan: @unchecked Sendable {
    // Unchecked: the pointers lead to constants.
    let campaignID: String
    let isPublished: Bool
    let isGeotrigger: Bool
    let hasCategory: Bool
    /// Whether all is known beforehand of what is shown where nobody has a say.
    let isFixed: Bool
    private let hasStepsByRegion: Bool
    private let commonSteps: UnsafeBufferPointer<ChainStep>
    let campaignKey: CounterKey
    /// Only for one with an id.
    let triggerKey: CounterKey
    /// A candidate of it as a plugin sees it, without what depends on the region, the request or filters.
    let prototype: belfry_candidate
    /// What records keep of a notification without region, channel and data of its own that is shown as configured; nil if the
    /// campaign's texts have placeholders.
    let notice: SubjectRecord.Notice?
    let campaign: CampaignPlan
    let index: Int
    /// Nil when it stands for a request that no trigger of the campaign waits for.
    let trigger: Configuration.Trigger?
    let event: Configuration.Event
    /// The members of a decision that name it.
    let json: [UInt8]
    /// How each chain entry stands to this trigger, by its place in the configuration. Keeps the instances.
    private let entries: [EntryResolution]
    private let steps: ChainSteps
    /// For the regions that say something of an entry, by their index.
    private let stepsByRegion: [Int: ChainSteps]
    /// What the prototype and the keys lead to.
    private let texts: [CText]
    private let constants: Constants

    init(
        _ trigger: Configuration.Trigger?, index: Int, campaign: CampaignPlan, entries: [EntryResolution],
        shelf: ChainStepShelf, constants: Constants
    ) {
        self.index = index
        self.trigger = trigger
        self.campaign = campaign
        self.entries = entries
        self.constants = constants
        campaignID = campaign.campaign.id
        isPublished = campaign.campaign.published
        isGeotrigger = campaign.isGeotrigger
        hasCategory = campaign.hasCategory
        isFixed = campaign.isFixed
        event = trigger?.on ?? .request
        let id = trigger.map { CText($0.id) }
        let eventText = CText(event.name)
        let counter = trigger.map { CText("\(campaign.campaign.id)/\($0.id)") }
        texts = [id, eventText, counter].compactMap { $0 }
        campaignKey = CounterKey(campaign.id)
        triggerKey = counter.map { CounterKey($0) } ?? .subject
        let regions = Set(entries.lazy.flatMap(\.variants).flatMap(\.byRegion.keys))
        steps = shelf.steps(entries, region: nil, hasTrigger: trigger != nil)
        commonSteps = steps.steps
        stepsByRegion = regions.reduce(into: [:]) {
            $0[$1] = shelf.steps(entries, region: $1, hasTrigger: trigger != nil)
        }
        hasStepsByRegion = !regions.isEmpty
        prototype = constants.candidate(campaign, trigger: id, event: eventText)
        let origin = Decision.Origin(campaign: campaign.campaign.id, trigger: trigger?.id)
        notice = campaign.content.map {
            SubjectRecord.Notice(campaign: origin.campaign, trigger: origin.trigger, region: nil, content: $0).shared
        }
        json = origin.json
    }

    /// How the chain is asked about a candidate in that region. Lies there as long as the plan does.
    func steps(in region: RegionPlan?) -> UnsafeBufferPointer<ChainStep> {
        guard hasStepsByRegion, let region else { return commonSteps }
        return stepsByRegion[region.index]?.steps ?? commonSteps
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
    /// Whose its states are.
    let owner: SlotOwner
    /// The path of `per: data.<path>`.
    let dataPath: [String]
    /// The beginning of a denial in a decision: before its code, and with the strategy's name for a code.
    let strategyJSON: [UInt8]
    let denialJSON: [UInt8]

    init(
        _ entry: Configuration.Entry, index: Int, provider: Providers.Strategy, schema: ParameterSchema, base: Instance?
    ) {
        self.index = index
        self.entry = entry
        self.provider = provider
        self.schema = schema
        self.base = base
        counter = entry.per ?? provider.defaultCounter
        owner = SlotOwner(
            strategy: entry.strategy, entry: entry.id, fingerprint: stableHash(entry.parameters?.json ?? ""),
            table: provider.table)
        if case .data(let path) = counter {
            dataPath = path.split(separator: ".").map(String.init)
        } else {
            dataPath = []
        }
        strategyJSON = Array("{\"strategy\":\(Value.text(entry.id).json),\"code\":".utf8)
        denialJSON = strategyJSON + Value.text(entry.strategy).json.utf8
    }

    var strategy: UnsafePointer<belfry_strategy>? { owner.table }

    var filter: UnsafePointer<belfry_filter>? {
        if case .filter(let table) = provider.kind { table } else { nil }
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
        if case .strategy(let table) = kind { table } else { nil }
    }

    var defaultCounter: Configuration.Counter {
        table?.pointee.default_counter.string.flatMap { Configuration.Counter($0) } ?? .subject
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
    text.withBytes { stableHash($0, seed: seed) }
}

public func stableHash(_ bytes: some Sequence<UInt8>, seed: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    bytes.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
}
