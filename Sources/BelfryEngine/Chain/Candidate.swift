import BelfryModel
import CBelfry

/// A notification or geotrigger that a signal or timer made eligible, on its way through the chain; or a created one that hooks
/// are asked and told about.
final class Candidate {
    /// Those of the catalog are lent, since to keep them would count references for each candidate.
    @exclusivity(unchecked) private(set) var lentTrigger: Unmanaged<TriggerPlan>
    @exclusivity(unchecked) private var head: UnsafePointer<TriggerHead>
    @exclusivity(unchecked) private(set) var lentRegion: Unmanaged<RegionPlan>?
    /// The trigger, if it may be none of the catalog.
    @exclusivity(unchecked) private var ownTrigger: TriggerPlan?
    /// The channel of the signal.
    @exclusivity(unchecked) private(set) var channel: String?
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
        _ trigger: TriggerPlan, region: RegionPlan?, channel: String?, isDeferred: Bool = false,
        asked: SubjectRecord.Asked? = nil, notification: String? = nil, content: Decision.Content? = nil
    ) {
        lentTrigger = .passUnretained(trigger)
        head = trigger.head
        lentRegion = region.map { .passUnretained($0) }
        ownTrigger = trigger
        self.channel = channel
        self.isDeferred = isDeferred
        self.asked = asked
        self.notification = notification
        ownContent = content
        isAsConfigured = content == nil
        isPlain = asked == nil && content == nil
    }

    /// Makes it another one, of which nothing was said and that shows what the campaign shows: so its memory is used again.
    ///
    /// - Parameter head: of a trigger of the catalog.
    func become(_ head: UnsafePointer<TriggerHead>, region: RegionPlan?, channel: LentText?, isDeferred: Bool) {
        lentTrigger = head.pointee.trigger
        self.head = head
        lentRegion = region.map { .passUnretained($0) }
        self.isDeferred = isDeferred
        // To forget nothing costs as much as to forget something.
        if ownTrigger != nil { ownTrigger = nil }
        if channel != nil || self.channel != nil { self.channel = channel?.text }
        if notification != nil { notification = nil }
        if !isPlain { (asked, ownContent) = (nil, nil) }
        (isAsConfigured, isPlain) = (true, true)
    }

    /// - Parameter content: nil for what the campaign shows to everybody.
    func take(_ asked: SubjectRecord.Asked?, _ content: Decision.Content?) {
        (self.asked, ownContent) = (asked, content)
        (isAsConfigured, isPlain) = (content == nil, false)
    }

    var trigger: TriggerPlan { lentTrigger.takeUnretainedValue() }
    var region: RegionPlan? { lentRegion?.takeUnretainedValue() }
    var campaign: CampaignPlan { trigger.campaign }
    var isGeotrigger: Bool { lentTrigger._withUnsafeGuaranteedRef { $0.isGeotrigger } }
    var campaignKey: UnsafePointer<CounterKey> { lentTrigger._withUnsafeGuaranteedRef { $0.campaignKey } }
    var triggerKey: UnsafePointer<CounterKey>? { lentTrigger._withUnsafeGuaranteedRef { $0.triggerKey } }
    /// How the chain is asked about it.
    var steps: UnsafeBufferPointer<ChainStep> { lentTrigger._withUnsafeGuaranteedRef { $0.steps(in: region) } }

    /// Nothing but its trigger has a say in it: if all is known beforehand, who is asked about it and what they see.
    var straight: (steps: UnsafeBufferPointer<ChainStep>, candidates: UnsafePointer<CountedCandidate>)? {
        @inline(__always) get {
            guard isPlain, lentRegion == nil, !isDeferred, notification == nil else { return nil }
            return head.pointee.straight
        }
    }

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
        if isPlain, lentRegion == nil, channel == nil, let notice = trigger.notice { return notice }
        return SubjectRecord.Notice(
            campaign: campaign.campaign.id, trigger: trigger.trigger?.id, region: region?.region.id, channel: channel,
            eventData: asked?.eventData, content: content)
    }

    /// A value under `data`: of the signal, else of what is shown.
    func data(at path: ArraySlice<String>) -> Value? {
        asked?.eventData?.value(at: path) ?? content.data?.value(at: path)
    }

    /// Writes the candidate as a plugin sees it. Its texts live as long as the arena is not reset, or the catalog is there.
    func write(to c: UnsafeMutablePointer<belfry_candidate>, in arena: Arena) {
        lentTrigger._withUnsafeGuaranteedRef { c.pointee = $0.prototype }
        if isDeferred { c.pointee.deferred = 1 }
        if let region {
            c.pointee.region = region.id.c
            c.pointee.region_name = region.name.c
            c.pointee.region_fields = region.cFields.pointer
        }
        if let notification { c.pointee.notification = arena.text(notification) }
        if !isAsConfigured { c.pointee.show(content, in: arena) }
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
