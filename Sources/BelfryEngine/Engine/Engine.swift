import BelfryModel
import CBelfry

/// Decides what follows from a signal: the pure core.
///
/// A function of catalog, record and signal, and of nothing else: no clock, no I/O, no randomness. The path of a signal is
/// `check` (may it be processed at all?), then `process`; timers that are due before it go through `fireNextTimer`. What changes,
/// changes in the record; what leaves, is in the effects. An engine is used by one thread at a time.
public final class Engine {
    public let catalog: Catalog
    /// What is to be forwarded; as configured, unless the host has it another way.
    @exclusivity(unchecked) public var forward: Configuration.Forward? { didSet { isForwarding = forward != nil } }
    @exclusivity(unchecked) private var isForwarding: Bool
    /// Is told how the chain was asked. Nil where nobody wants to know.
    @exclusivity(unchecked) public var witness: ((Testimony) -> Void)?
    let scope: CallScope
    /// The last candidate, whose memory the next one may use.
    @exclusivity(unchecked) var spare: Candidate?
    @exclusivity(unchecked) var lentSpare: Unmanaged<Candidate>?
    /// What the last request asked, since it is looked for when the signal is checked and again when it is processed; kept by the
    /// catalog.
    @exclusivity(unchecked) private var lastRequest: UnsafePointer<TriggerHead>?
    private let requests: Unmanaged<NameTable<TriggerPlan>>
    /// The beginning of the last fingerprint: nearly all signals are of one source.
    @exclusivity(unchecked) private var lastSpace = (name: "", hash: Engine.hash(ofSpace: ""))

    public init(_ catalog: Catalog) {
        self.catalog = catalog
        forward = catalog.configuration.forward
        isForwarding = catalog.configuration.forward != nil
        scope = CallScope(catalog)
        requests = .passUnretained(catalog.requests)
    }

    /// What is at hand while one signal or timer is worked on.
    struct Moment {
        /// Whoever asks keeps it.
        let lentRecord: Unmanaged<SubjectRecord>
        let now: Instant
        /// When it happened: before `now` for a late signal.
        let time: Instant
        let lentCause: LentText
        let lentChannel: LentText?

        /// - Parameters: all are to be kept as long as the moment lasts.
        init(record: SubjectRecord, now: Instant, time: Instant, cause: String, channel: String?) {
            lentRecord = .passUnretained(record)
            (self.now, self.time) = (now, time)
            (lentCause, lentChannel) = (LentText(cause), channel.map { LentText($0) })
        }

        var record: SubjectRecord { lentRecord.takeUnretainedValue() }
        var cause: String { lentCause.text }
        var channel: String? { lentChannel?.text }
    }

    /// Whether the subject's record says that this signal was processed before, or that a request had its key before.
    public func isDuplicate(_ signal: Signal, _ record: SubjectRecord) -> Bool {
        if let id = signal.id, record.processed.contains(fingerprint(signal.source, id)) { return true }
        guard case .requested(let request) = signal.event, let key = request.key else { return false }
        return record.requestKeys.contains(fingerprint(request.campaign, key))
    }

    /// Applies a signal that passed `check` and is no duplicate.
    ///
    /// - Returns: whether it was late, and so processed at the subject's latest time.
    @discardableResult
    public func process(_ signal: Signal, _ record: SubjectRecord, into effects: inout Effects) -> Bool {
        let isLate = signal.time < record.latest
        if !isLate { record.latest = signal.time }
        if let id = signal.id { record.processed.insert(fingerprint(signal.source, id)) }
        let moment = Moment(
            record: record, now: record.latest, time: signal.time, cause: signal.cause, channel: signal.channel)
        if catalog.isMonitored { startMonitoring(moment) }
        if isForwarding { forward(signal, moment, into: &effects) }
        apply(signal, moment, into: &effects)
        if !catalog.signalTriggers.isEmpty { decideAwaited(signal, moment, into: &effects) }
        return isLate
    }

    private func decideAwaited(_ signal: Signal, _ moment: Moment, into effects: inout Effects) {
        for trigger in catalog.signalTriggers[signal.type] ?? [] where trigger.campaign.campaign.published {
            let asked = signal.data.map { SubjectRecord.Asked(eventData: $0) }
            decide(candidate(trigger, moment, asked: asked, into: &effects), moment, into: &effects)
        }
    }

    private func apply(_ signal: Signal, _ moment: Moment, into effects: inout Effects) {
        switch signal.event {
        case .located(let latitude, let longitude, let accuracy):
            locate(Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy, moment, into: &effects)
        case .entered(let region): cross(Crossing(entering: [region], isReported: true), moment, into: &effects)
        case .exited(let region): cross(Crossing(leaving: [region], isReported: true), moment, into: &effects)
        case .ranged(let uuid, let major, let minor, let distance):
            sight(Beacon(uuid: uuid, major: major, minor: minor), distance: distance, moment, into: &effects)
        case .requested: answerRequest(of: signal, moment, into: &effects)
        case .deletionRequested(let campaign): delete(current(of: campaign, moment.record), moment, into: &effects)
        case .opened(let notification, let button): open(notification, button: button, moment, into: &effects)
        case .dismissed: break
        case .foregrounded: move(toForeground: true, moment)
        case .backgrounded: move(toForeground: false, moment)
        case .sessionStarted: recordSession("sessionStart", signal, moment, into: &effects)
        case .sessionEnded: recordSession("sessionEnd", signal, moment, into: &effects)
        case .attributesSet(let scope, let values): setAttributes(scope, values, moment)
        case .attributesUpdated(let scope, let values): updateAttributes(scope, values, moment)
        case .attributesDeleted(let scope, let keys): deleteAttributes(scope, keys, moment)
        case .deviceRegistered(let attributes): register(attributes, moment)
        case .enabled: enable(true, moment, into: &effects)
        case .disabled: enable(false, moment, into: &effects)
        case .reset:
            moment.record.reset()
            if let id = signal.id { moment.record.processed.insert(fingerprint(signal.source, id)) }
            moment.record.latest = signal.time
        case .historyCleared(.notifications): moment.record.clearHistory()
        case .historyCleared(.geotriggers): moment.record.geotriggers = []
        case .clockAdvanced: break
        case .custom: if catalog.signalTriggers[signal.type] == nil { effects.ignore(.unawaitedSignal) }
        }
    }

    /// What a request of a campaign asks; nil if there is no such campaign.
    func request(of campaign: String) -> Unmanaged<TriggerPlan>? { head(of: campaign)?.pointee.trigger }

    /// Whether there is such a campaign. What it asks is not looked at yet.
    func knows(_ campaign: String) -> Bool { head(of: campaign) != nil }

    private func head(of campaign: String) -> UnsafePointer<TriggerHead>? {
        if let lastRequest, campaign.isSame(as: lastRequest.pointee.campaign) ?? false { return lastRequest }
        lastRequest = requests._withUnsafeGuaranteedRef { $0.head(of: campaign) }?
            .assumingMemoryBound(to: TriggerHead.self)
        return lastRequest
    }

    /// What a signal asks that was looked for last, if nothing but the campaign has a say in it.
    func plainRequest(of signal: Signal) -> UnsafePointer<TriggerHead>? {
        guard let lastRequest, let campaign = signal.plainCampaign, campaign == lastRequest.pointee.campaign,
            lastRequest.pointee.isFixed
        else { return nil }
        return lastRequest
    }

    /// Where the head of what the last request asks lies, for somebody who has the processor fetch it.
    package var lastRequestAddress: UnsafeRawPointer? { lastRequest.map { UnsafeRawPointer($0) } }

    func fingerprint(_ space: String, _ name: String) -> UInt64 {
        if !space.isSameText(as: lastSpace.name) { lastSpace = (space, Self.hash(ofSpace: space)) }
        return stableHash(name, seed: lastSpace.hash)
    }

    private static func hash(ofSpace name: String) -> UInt64 { stableHash("\u{0}", seed: stableHash(name)) }
}
