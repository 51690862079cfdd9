import BelfryModel
import CBelfry

/// A notification or geotrigger that a signal or timer made eligible, on its way through the chain; or a created one that hooks
/// are asked and told about.
///
/// An engine has one, which becomes one after the other: so a decision allocates nothing.
final class Candidate {
    /// Kept by the catalog, or by `ownTrigger`.
    @exclusivity(unchecked) private var lentTrigger: Lent<TriggerPlan>?
    @exclusivity(unchecked) private(set) var region: Lent<RegionPlan>?
    /// The trigger, if it may be none of the catalog.
    @exclusivity(unchecked) private var ownTrigger: TriggerPlan?
    /// How the chain is asked about it, where the subject's variants have a say.
    @exclusivity(unchecked) var assigned: UnsafeBufferPointer<ChainStep>?
    /// The channel of the signal.
    @exclusivity(unchecked) private(set) var channel: String?
    @exclusivity(unchecked) private(set) var isDeferred = false
    /// What the request or the signal said; nil for nothing. Conditions on `data` and `per: data.<key>` look there before they look
    /// at the campaign's.
    @exclusivity(unchecked) private(set) var asked: SubjectRecord.Asked?
    /// Its id, once it is created.
    @exclusivity(unchecked) var notification: String?
    /// Nil: what the campaign shows to everybody.
    @exclusivity(unchecked) private var ownContent: Decision.Content?

    /// Makes it another one, of which nothing was said and that shows what the campaign shows.
    @inline(__always)
    func become(
        _ trigger: Lent<TriggerPlan>, region: Lent<RegionPlan>? = nil, channel: String?, isDeferred: Bool = false
    ) {
        lentTrigger = trigger
        self.region = region
        self.isDeferred = isDeferred
        // To forget nothing costs as much as to forget something.
        if ownTrigger != nil { ownTrigger = nil }
        if assigned != nil { assigned = nil }
        if channel != nil || self.channel != nil { self.channel = channel }
        if notification != nil { notification = nil }
        if asked != nil { asked = nil }
        if ownContent != nil { ownContent = nil }
    }

    /// The same with a trigger that may be none of the catalog, of a notification as it was created.
    func become(_ trigger: TriggerPlan, region: RegionPlan?, channel: String?, notification: String) {
        become(Lent(trigger), region: region.map { Lent($0) }, channel: channel)
        ownTrigger = trigger
        self.notification = notification
    }

    /// - Parameter content: nil for what the campaign shows to everybody.
    func take(_ asked: SubjectRecord.Asked?, _ content: Decision.Content?) {
        (self.asked, ownContent) = (asked, content)
    }

    /// One that became something has a trigger.
    var trigger: Lent<TriggerPlan> { lentTrigger.unsafelyUnwrapped }
    var campaign: CampaignPlan { trigger.object.campaign }
    var isGeotrigger: Bool { trigger.with { $0.isGeotrigger } }
    /// Whether it is what the campaign shows to everybody.
    var isAsConfigured: Bool { ownContent == nil }

    /// How the chain is asked about it.
    @inline(__always)
    var steps: UnsafeRange<ChainStep> {
        if let assigned { return UnsafeRange(assigned) }
        return UnsafeRange(trigger.with { $0.steps(in: region?.object) })
    }

    /// What filters may change.
    var content: Decision.Content {
        get { ownContent ?? campaign.content ?? Decision.Content() }
        set { ownContent = newValue }
    }

    var isLandingPage: Bool { content.handler == Configuration.Handler.landingPage.rawValue }

    var origin: Decision.Origin {
        Decision.Origin(
            campaign: campaign.campaign.id, trigger: trigger.object.trigger?.id, region: region?.object.region.id)
    }

    /// What a record keeps of it.
    var snapshot: StoredSnapshot {
        if isAsConfigured, asked == nil, region == nil, channel == nil, let known = trigger.object.snapshot {
            return known
        }
        return StoredSnapshot(
            SubjectRecord.Snapshot(
                campaign: campaign.campaign.id, trigger: trigger.object.trigger?.id,
                region: region?.object.region.id, channel: channel, eventData: asked?.eventData, content: content))
    }

    /// A value under `data`: of the signal, else of what is shown.
    func data(at path: ArraySlice<String>) -> Value? {
        asked?.eventData?.value(at: path) ?? content.data?.value(at: path)
    }

    /// Writes the candidate as a plugin sees it. Its texts live as long as the arena is not reset, or the catalog is there.
    func write(to c: UnsafeMutablePointer<belfry_candidate>, in arena: Arena) {
        trigger.with { c.pointee = $0.prototype }
        if isDeferred { c.pointee.deferred = 1 }
        region?.with { region in
            c.pointee.region = region.id.c
            c.pointee.region_name = region.name.c
            c.pointee.region_fields = region.cFields.pointer
        }
        if let notification { c.pointee.notification = arena.text(notification) }
        if let ownContent { c.pointee.show(ownContent, in: arena) }
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

/// The addresses of elements that lie side by side: to look at one there copies nothing.
struct UnsafeRange<Element>: Sequence, IteratorProtocol {
    private var first: UnsafePointer<Element>?
    private let end: UnsafePointer<Element>?

    @inline(__always)
    init(_ elements: UnsafeBufferPointer<Element>) {
        first = elements.baseAddress
        end = first.map { $0 + elements.count }
    }

    @inline(__always)
    mutating func next() -> UnsafePointer<Element>? {
        guard let place = first, place != end else { return nil }
        first = place + 1
        return place
    }
}
