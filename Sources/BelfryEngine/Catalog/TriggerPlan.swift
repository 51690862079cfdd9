import BelfryModel
import CBelfry

/// A trigger of a campaign, or the campaign's answer to a request without a trigger for it.
final class TriggerPlan: Sendable {
    let isPublished: Bool
    let isGeotrigger: Bool
    /// Whether its texts are the same for every subject.
    let isFixed: Bool
    let hasCategory: Bool
    /// Whether leaving the region that made it puts it up for deletion.
    let isDeletedOnExit: Bool
    private let hasStepsByRegion: Bool
    /// How the chain is asked about a candidate without a region. Lies there as long as the plan does.
    private let commonPlaces: Constant<UnsafeBufferPointer<ChainStep>>
    let campaignKey: Constant<UnsafePointer<CounterKey>>
    /// Nil for one without an id.
    let triggerKey: Constant<UnsafePointer<CounterKey>>?
    let campaignID: String
    /// What records keep of a notification without region, channel and data of its own that is shown as configured; nil if the
    /// campaign's texts have placeholders.
    let snapshot: StoredSnapshot?
    /// The members of a decision that name it.
    let json: [UInt8]
    let campaign: CampaignPlan
    let index: Int
    /// Nil when it stands for a request that no trigger of the campaign waits for.
    let trigger: Configuration.Trigger?
    let event: Configuration.Event
    /// A candidate of it as a plugin sees it, without what depends on the region, the request or filters.
    let prototype: Constant<UnsafePointer<belfry_candidate>>
    /// How each chain entry stands to this trigger, by its place in the configuration. Keeps the instances.
    let entries: [EntryResolution]
    private let steps: ChainSteps
    /// For the regions that say something of an entry, by their index.
    private let stepsByRegion: [Int: ChainSteps]
    /// What the prototype and the keys lead to.
    private let texts: [CText]
    private let constants: ConstantMemory

    init(
        _ trigger: Configuration.Trigger?, index: Int, campaign: CampaignPlan, entries: [EntryResolution],
        interner: ChainStepInterner, constants: ConstantMemory
    ) {
        self.index = index
        self.trigger = trigger
        self.campaign = campaign
        self.entries = entries
        self.constants = constants
        campaignID = campaign.campaign.id
        isPublished = campaign.campaign.published
        isGeotrigger = campaign.isGeotrigger
        isFixed = campaign.isFixed
        hasCategory = campaign.hasCategory
        isDeletedOnExit = campaign.campaign.deleteOn == .exit
        event = trigger?.on ?? .request
        let id = trigger.map { CText($0.id) }
        let eventText = CText(event.name)
        let counter = trigger.map { CText("\(campaign.campaign.id)/\($0.id)") }
        texts = [id, eventText, counter].compactMap { $0 }
        campaignKey = Constant(campaign.id.key)
        triggerKey = counter.map { Constant($0.key) }
        let regions = Set(entries.lazy.flatMap(\.variants).flatMap(\.byRegion.keys))
        steps = interner.steps(entries, region: nil, hasTrigger: trigger != nil)
        commonPlaces = steps.places
        prototype = constants.candidate(campaign, trigger: id, event: eventText)
        stepsByRegion = regions.reduce(into: [:]) {
            $0[$1] = interner.steps(entries, region: $1, hasTrigger: trigger != nil)
        }
        hasStepsByRegion = !regions.isEmpty
        let origin = Decision.Origin(campaign: campaign.campaign.id, trigger: trigger?.id)
        snapshot = campaign.content.map {
            StoredSnapshot(
                SubjectRecord.Snapshot(campaign: origin.campaign, trigger: origin.trigger, content: $0))
        }
        json = origin.json
    }

    var commonSteps: UnsafeBufferPointer<ChainStep> { commonPlaces.pointer }

    /// How the chain is asked about a candidate in that region. Lies there as long as the plan does.
    func steps(in region: RegionPlan) -> UnsafeBufferPointer<ChainStep> {
        guard hasStepsByRegion else { return commonSteps }
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
