import BelfryModel

extension Engine {
    /// The current notifications of a campaign, oldest first.
    func current(of campaign: String, _ moment: borrowing Moment) -> [SubjectRecord.Current] {
        moment.record.current.filter { $0.campaign.isSameText(as: campaign) }
    }

    /// Asks the chain about the deletion of each notification; unanimity of the required entries deletes it.
    func delete(
        _ notifications: [SubjectRecord.Current], _ moment: borrowing Moment, into effects: inout Effects
    ) {
        for current in notifications { delete(current, moment, into: &effects) }
    }

    private func delete(
        _ current: SubjectRecord.Current, _ moment: borrowing Moment, into effects: inout Effects
    ) {
        become(current)
        ask(.deletion, moment, into: &effects)
        let outcome = Outcome(scope.answers)
        if outcome.isAllowed {
            moment.record.delete(current.notification)
            scope.refreshSubject()
            effects.add(.deleted(notification: current.notification, campaign: current.campaign), moment)
        } else {
            effects.add(
                .kept(
                    notification: current.notification, campaign: current.campaign,
                    reasons: outcome.reasons(scope.answers)), moment)
        }
        tell(.deletion, happened: outcome.isAllowed, moment, into: &effects)
    }

    /// Makes the candidate of the scope a current notification as it was created.
    func become(_ current: SubjectRecord.Current) {
        let origin = Decision.Origin(campaign: current.campaign, trigger: current.trigger, region: current.region)
        // The channel it was created for: the counter of `per: channel` is that one's.
        scope.candidate.become(
            trigger(of: origin), region: current.region.flatMap { catalog.regionByID[$0] },
            channel: current.channel, notification: current.notification)
        scope.candidate.take(SubjectRecord.Asked(eventData: current.eventData), current.content)
    }

    /// The plan a notification was made by. A campaign that has left the configuration gets a plan with the chain's own parameters.
    func trigger(of origin: Decision.Origin) -> TriggerPlan {
        if let request = catalog.requests[origin.campaign] {
            return catalog.trigger(origin.trigger, of: request.campaign) ?? request
        }
        let campaign = CampaignPlan(
            Configuration.Campaign(id: origin.campaign), index: catalog.campaigns.count, title: nil, message: nil,
            groups: [])
        var entries = catalog.configuration.chain.map { _ in EntryResolution(variants: []) }
        for entry in catalog.chain {
            guard entry.counter != .group, let base = entry.base else { continue }
            entries[entry.index].variants = [.init(group: nil, base: .instance(base), byRegion: [:])]
        }
        let trigger = origin.trigger.map { Configuration.Trigger(id: $0, on: .request) }
        return TriggerPlan(
            trigger, index: 0, campaign: campaign, entries: entries, interner: ChainStepInterner(catalog.chain),
            constants: ConstantMemory())
    }
}
