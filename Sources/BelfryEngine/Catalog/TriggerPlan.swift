import BelfryModel
import CBelfry

/// A trigger of a campaign, or the campaign's answer to a request without a trigger for it.
///
/// What nearly every decision reads of it is in its head.
final class TriggerPlan: @unchecked Sendable {
    // Unchecked: the pointers lead to constants.
    let campaignID: String
    let head: UnsafePointer<TriggerHead>
    let isPublished: Bool
    let isGeotrigger: Bool
    let hasCategory: Bool
    private let hasStepsByRegion: Bool
    private let commonSteps: UnsafeBufferPointer<ChainStep>
    let campaignKey: UnsafePointer<CounterKey>
    /// Nil for one without an id.
    let triggerKey: UnsafePointer<CounterKey>?
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
        event = trigger?.on ?? .request
        let id = trigger.map { CText($0.id) }
        let eventText = CText(event.name)
        let counter = trigger.map { CText("\(campaign.campaign.id)/\($0.id)") }
        texts = [id, eventText, counter].compactMap { $0 }
        campaignKey = campaign.id.key
        triggerKey = counter?.key
        let regions = Set(entries.lazy.flatMap(\.variants).flatMap(\.byRegion.keys))
        steps = shelf.steps(entries, region: nil, hasTrigger: trigger != nil)
        commonSteps = steps.steps
        let prototype = constants.candidate(campaign, trigger: id, event: eventText)
        self.prototype = prototype
        let (head, candidates) = constants.head(steps.straight, of: campaign, triggerKey: counter?.key, prototype)
        self.head = UnsafePointer(head)
        stepsByRegion = regions.reduce(into: [:]) {
            $0[$1] = shelf.steps(entries, region: $1, hasTrigger: trigger != nil)
        }
        hasStepsByRegion = !regions.isEmpty
        let origin = Decision.Origin(campaign: campaign.campaign.id, trigger: trigger?.id)
        notice = campaign.content.map {
            SubjectRecord.Notice(campaign: origin.campaign, trigger: origin.trigger, region: nil, content: $0).shared
        }
        json = origin.json
        head.initialize(
            to: TriggerHead(
                trigger: .passUnretained(self), campaign: TextWords(campaignID), isPublished: isPublished,
                isFixed: campaign.isFixed, straight: steps.straight.map { ($0.steps, candidates) }))
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
