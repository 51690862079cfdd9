import BelfryModel

/// Why a signal that is well formed cannot be processed.
public struct SignalFault: Error, Sendable, Hashable {
    public enum Code: String, Sendable {
        case unknownRegion = "unknown-region"
        case unknownCampaign = "unknown-campaign"
        case unknownNotification = "unknown-notification"
        case unknownZone = "unknown-zone"
        case invalidAttribute = "invalid-attribute"
    }

    public var code: Code
    public var message: String
}

extension Engine {
    /// What a request asks for.
    ///
    /// - Throws: if there is no such campaign.
    func wanted(by request: Signal.Request) throws(SignalFault) -> Lent<TriggerPlan> {
        if let wanted = catalog.requests.lent(request.campaign) { return wanted }
        throw unknownCampaign(request.campaign)
    }

    /// What the signal names and does not exist, or brings and has no room; nil if all is well. Changes nothing.
    func fault(of signal: Signal, _ record: borrowing SubjectRecord) -> SignalFault? {
        switch signal.event {
        case .entered(let region), .exited(let region):
            return catalog.knowsRegion(region)
                ? nil : unknown("region", region, .unknownRegion, among: catalog.regionByID.keys)
        case .deletionRequested(let campaign):
            // What was created by a campaign that has left the configuration can still be deleted.
            return record.tally(of: campaign) != nil ? nil : checkCampaign(campaign)
        case .opened(let notification, _), .dismissed(let notification):
            return checkNotification(notification, signal, record)
        case .attributesSet(let scope, let values), .attributesUpdated(let scope, let values):
            return checkZone(values["timeZone"]) ?? checkRoom(for: values, of: scope, signal, record)
        case .attributesDeleted(let scope, _): return checkRoom(for: Fields(), of: scope, signal, record)
        case .deviceRegistered(let values):
            return checkZone(values["timeZone"]) ?? checkRoom(for: values, of: .channel, signal, record)
        default: return nil
        }
    }

    private func checkCampaign(_ id: String) -> SignalFault? {
        catalog.knowsCampaign(id) ? nil : unknownCampaign(id)
    }

    private func unknownCampaign(_ id: String) -> SignalFault {
        unknown("campaign", id, .unknownCampaign, among: catalog.requests.keys)
    }

    private func checkZone(_ value: Value?) -> SignalFault? {
        guard let name = value?.text, catalog.services.zones.zone(named: name) == nil else { return nil }
        return SignalFault(
            code: .unknownZone, message: "there is no time zone '\(name)'; use an IANA name such as Europe/Amsterdam")
    }

    /// A timer of the subject that is due first may create the notification; that is tried on a copy.
    private func checkNotification(_ id: String, _ signal: Signal, _ record: borrowing SubjectRecord) -> SignalFault? {
        if hasCreated(id, record) { return nil }
        if let due = record.nextDue, due <= signal.time {
            var copy = record.copy()
            // The observer is not shown the timers that are only tried on the copy.
            let observer = observer
            self.observer = nil
            defer { self.observer = observer }
            var effects = Effects()
            _ = tick(&copy, to: signal.time, into: &effects)
            if hasCreated(id, copy) { return nil }
        }
        return SignalFault(
            code: .unknownNotification,
            message:
                "'\(record.subject)' never had a notification '\(id)'; its id is in `notification` of notification.created"
        )
    }

    private func unknown(
        _ what: String, _ id: String, _ code: SignalFault.Code, among known: some Sequence<String>
    ) -> SignalFault {
        // Among very many names the nearest one takes too long to find, and does not help. Sorted, because the order of a hash
        // table is another one in each process, and rejects are to be the same.
        let nearest = known.underestimatedCount > 1000 ? nil : nearestMatch(to: id, among: known.sorted())
        return SignalFault(
            code: code,
            message: "the configuration has no \(what) '\(id)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
    }
}

extension Engine {
    /// Whether a notification with that id, `<campaign>/<n>`, was ever created for the subject. What geotriggers fired has no id.
    private func hasCreated(_ notification: String, _ record: borrowing SubjectRecord) -> Bool {
        guard let (campaign, number) = SubjectRecord.parts(of: notification), let tally = record.tally(of: campaign),
            number <= tally.count
        else { return false }
        // The campaign may have been of the other kind then. Of what is no longer kept only its kind today is known.
        if record.has(.notifications, campaign, number) { return true }
        if record.has(.geotriggers, campaign, number) { return false }
        return catalog.requests[campaign]?.isGeotrigger != true
    }
}
