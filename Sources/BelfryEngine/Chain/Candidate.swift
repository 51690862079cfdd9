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
    @exclusivity(unchecked) private(set) var asked: SubjectRecord.Asked? { didSet { isPlain = asked == nil } }
    /// Whether nothing was said: to look at what was said takes longer.
    @exclusivity(unchecked) private(set) var isPlain = true
    /// The id of one that was created by another signal.
    @exclusivity(unchecked) private var earlierNotification: String?
    /// The number of one that is created now; 0 as long as it is not. Its id is made of it when a plugin or a decision wants that.
    @exclusivity(unchecked) private(set) var number: UInt32 = 0
    /// Nil: what the campaign shows to every subject.
    @exclusivity(unchecked) private var ownContent: Decision.Content? {
        didSet { isAsConfigured = ownContent == nil }
    }
    /// Whether it is what the campaign shows to every subject.
    @exclusivity(unchecked) private(set) var isAsConfigured = true

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
        if earlierNotification != nil { earlierNotification = nil }
        number = 0
        if !isPlain { asked = nil }
        if !isAsConfigured { ownContent = nil }
    }

    /// The same with a trigger that may be none of the catalog, of a notification as it was created.
    func become(_ trigger: TriggerPlan, region: RegionPlan?, channel: String?, notification: String) {
        become(Lent(trigger), region: region.map { Lent($0) }, channel: channel)
        ownTrigger = trigger
        earlierNotification = notification
    }

    /// It is created, as the notification of that number.
    func take(number: UInt32) { self.number = number }

    /// Its id, once it is created.
    var notification: String? {
        number == 0
            ? earlierNotification
            : SubjectRecord.notification(trigger.object.campaignID, Int64(number))
    }

    /// - Parameter content: nil for what the campaign shows to every subject.
    func take(_ asked: SubjectRecord.Asked?, _ content: Decision.Content?) {
        (self.asked, ownContent) = (asked, content)
    }

    /// One that became something has a trigger.
    var trigger: Lent<TriggerPlan> { lentTrigger.unsafelyUnwrapped }
    var campaign: CampaignPlan { trigger.object.campaign }
    var isGeotrigger: Bool { trigger.with { $0.isGeotrigger } }
    /// How the chain is asked about it.
    @inline(__always)
    var steps: UnsafeRange<ChainStep> {
        if let assigned { return UnsafeRange(assigned) }
        guard let region else { return UnsafeRange(trigger.with { $0.commonSteps }) }
        return UnsafeRange(trigger.with { $0.steps(in: region.object) })
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
        if isAsConfigured, isPlain, region == nil, channel == nil, let known = trigger.object.snapshot {
            return known
        }
        return StoredSnapshot(
            SubjectRecord.Snapshot(
                campaign: campaign.campaign.id, trigger: trigger.object.trigger?.id,
                region: region?.object.region.id, channel: channel, eventData: asked?.eventData, content: content))
    }

    /// A value under `data`: of the signal, else of what is shown, else of the campaign.
    func data(at path: ArraySlice<String>) -> Value? {
        asked?.eventData?.value(at: path) ?? content.data?.value(at: path) ?? hiddenData?.value(at: path)
    }

    /// The first value under `data` that counts, as the key of a counter.
    func dataKey(at path: ArraySlice<String>) -> String? {
        asked?.eventData?.value(at: path)?.counterKey ?? content.data?.value(at: path)?.counterKey
            ?? hiddenData?.value(at: path)?.counterKey
    }

    /// The campaign's data where those of a request are shown instead. What a filter shows instead goes for the campaign's.
    private var hiddenData: Value? {
        guard let said = asked?.eventData, said == content.data else { return nil }
        return campaign.campaign.data
    }

    /// Writes the candidate as a plugin sees it. Its texts live as long as the arena is not reset, or the catalog is there.
    func write(to c: UnsafeMutablePointer<belfry_candidate>, in arena: Arena) {
        trigger.with { c.update(from: $0.prototype.pointer, count: 1) }
        if isDeferred { c.pointee.deferred = 1 }
        region?.with { region in
            c.pointee.region = region.id.c
            c.pointee.region_name = region.name.c
            c.pointee.region_fields = region.cFields.pointer
        }
        writeNotification(to: c, in: arena)
        if !isAsConfigured { c.pointee.show(content, in: arena) }
    }

    /// Writes the id of the notification, if there is one.
    @inline(__always)
    func writeNotification(to c: UnsafeMutablePointer<belfry_candidate>, in arena: Arena) {
        if number > 0 {
            let campaign = c.pointee.campaign.utf8
            c.pointee.notification = SubjectRecord.notification(campaign, Int64(number), in: arena)
        } else if earlierNotification != nil {
            c.pointee.notification = arena.text(earlierNotification)
        }
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
