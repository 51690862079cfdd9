import BelfryModel
import CBelfry

/// A notification or geotrigger that a signal or timer made eligible, on its way through the chain; or a created one that hooks
/// are asked and told about.
final class Candidate {
    @exclusivity(unchecked) private(set) var trigger: TriggerPlan
    @exclusivity(unchecked) private(set) var region: RegionPlan?
    /// How the chain is asked about it.
    @exclusivity(unchecked) private(set) var steps: UnsafeBufferPointer<ChainStep>
    /// The channel of the signal.
    @exclusivity(unchecked) private(set) var channel: String?
    @exclusivity(unchecked) private(set) var cause: String
    @exclusivity(unchecked) private(set) var isDeferred: Bool
    /// What the request or the signal said; nil for nothing. Conditions on `data` and `per: data.<key>` look there before they look
    /// at the campaign's.
    @exclusivity(unchecked) private(set) var asked: SubjectRecord.Asked?
    /// Its id, once it is created.
    @exclusivity(unchecked) var notification: String?
    /// Nil: what the campaign shows to everybody.
    @exclusivity(unchecked) private var ownContent: Decision.Content?
    /// Whether it is what the campaign shows to everybody.
    @exclusivity(unchecked) private(set) var isAsConfigured: Bool
    /// Whether there is something of its own to forget.
    @exclusivity(unchecked) private var isPlain: Bool

    /// - Parameter content: nil for what the campaign shows to everybody, if there is that.
    init(
        _ trigger: TriggerPlan, region: RegionPlan?, channel: String?, cause: String, isDeferred: Bool = false,
        asked: SubjectRecord.Asked? = nil, notification: String? = nil, content: Decision.Content? = nil
    ) {
        self.trigger = trigger
        self.region = region
        steps = trigger.steps(in: region)
        self.channel = channel
        self.cause = cause
        self.isDeferred = isDeferred
        self.asked = asked
        self.notification = notification
        ownContent = content
        isAsConfigured = content == nil
        isPlain = asked == nil && content == nil
    }

    /// Makes it another one, of which nothing was said and that shows what the campaign shows: so its memory is used again.
    func become(_ trigger: TriggerPlan, region: RegionPlan?, channel: String?, cause: String, isDeferred: Bool) {
        self.trigger = trigger
        self.region = region
        steps = trigger.steps(in: region)
        self.channel = channel
        self.cause = cause
        self.isDeferred = isDeferred
        if notification != nil { notification = nil }
        // To forget nothing costs as much as to forget something.
        if !isPlain { (asked, ownContent) = (nil, nil) }
        (isAsConfigured, isPlain) = (true, true)
    }

    /// - Parameter content: nil for what the campaign shows to everybody.
    func take(_ asked: SubjectRecord.Asked?, _ content: Decision.Content?) {
        (self.asked, ownContent) = (asked, content)
        (isAsConfigured, isPlain) = (content == nil, false)
    }

    var campaign: CampaignPlan { trigger.campaign }

    /// What filters may change.
    var content: Decision.Content {
        get { ownContent ?? campaign.content ?? Decision.Content() }
        set {
            ownContent = newValue
            (isAsConfigured, isPlain) = (false, false)
        }
    }

    var isLandingPage: Bool { content.handler == Configuration.Handler.landingPage.rawValue }

    var origin: Decision.Origin {
        Decision.Origin(campaign: campaign.campaign.id, trigger: trigger.trigger?.id, region: region?.region.id)
    }

    /// What a record keeps of it.
    var notice: SubjectRecord.Notice {
        if isPlain, region == nil, channel == nil, let notice = trigger.notice { return notice }
        return SubjectRecord.Notice(
            campaign: campaign.campaign.id, trigger: trigger.trigger?.id, region: region?.region.id, channel: channel,
            eventData: asked?.eventData, content: content)
    }

    /// A value under `data`: of the signal, else of what is shown.
    func data(at path: ArraySlice<String>) -> Value? {
        asked?.eventData?.value(at: path) ?? content.data?.value(at: path)
    }

    /// The candidate as a plugin sees it. Its texts live as long as the arena is not reset, or the catalog is there.
    func c(in arena: Arena) -> belfry_candidate {
        var c = trigger.prototype.pointer!.pointee  // every trigger has one
        if isDeferred { c.deferred = 1 }
        if let region {
            c.region = region.id.c
            c.region_name = region.name.c
            c.region_fields = region.cFields.pointer
        }
        if let notification { c.notification = arena.text(notification) }
        if !isAsConfigured { c.show(content, in: arena) }
        return c
    }
}

extension belfry_candidate {
    fileprivate mutating func show(_ content: Decision.Content, in arena: Arena) {
        title = arena.text(content.title)
        message = arena.text(content.message)
        handler = arena.text(content.handler)
        category = arena.text(content.category)
        data = arena.value(content.data)
        presentation = arena.value(content.presentation)
    }
}
