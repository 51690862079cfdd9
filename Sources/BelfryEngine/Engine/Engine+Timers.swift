import BelfryModel

extension Engine {
    /// Fires the earliest timer of a subject, with its due time as the time of its decisions.
    public func fireNextTimer(of record: SubjectRecord, into effects: inout Effects) {
        guard let index = record.timers.indices.min(by: { record.timers[$0].precedes(record.timers[$1]) }) else {
            return
        }
        let timer = record.timers.remove(at: index)
        record.latest = max(record.latest, timer.due)
        withExtendedLifetime(timer) {
            let moment = Moment(
                record: record, now: timer.due, time: timer.due, cause: timer.cause, channel: timer.channel)
            fire(timer, moment, into: &effects)
        }
    }

    private func fire(_ timer: SubjectRecord.Timer, _ moment: Moment, into effects: inout Effects) {
        if timer.purpose == .exit {
            return cross(Crossing(leaving: [timer.region].compactMap { $0 }), moment, into: &effects)
        }
        // Timers of campaigns, triggers or regions that have left the configuration are dropped.
        guard let campaign = catalog.campaign(timer.campaign), campaign.campaign.published,
            let trigger = catalog.trigger(timer.trigger, of: campaign)
        else { return }
        let region = timer.region.flatMap { catalog.regionByID[$0] }
        guard timer.region == nil || region != nil else { return }
        switch timer.purpose {
        case .dwell: decide(candidate(trigger, in: region, moment, into: &effects), moment, into: &effects)
        case .deferral(let asked):
            let candidate = candidate(
                trigger, in: region, moment, isDeferred: true, asked: asked.saysNothing ? nil : asked, into: &effects)
            decide(candidate, moment, into: &effects)
        case .exit: break  // done above: it has no campaign
        }
    }

    /// Plot Projects: a dwell candidate is born when the subject has stayed for the whole time.
    func armDwelling(in regions: [RegionPlan], _ moment: Moment) {
        guard catalog.isEnabled(moment.record) else { return }
        for region in regions {
            for trigger in region.dwell {
                guard case .dwell(let time) = trigger.event else { continue }
                moment.record.arm(
                    .dwell, at: moment.now + time, cause: moment.cause, channel: moment.channel,
                    origin: Decision.Origin(
                        campaign: trigger.campaign.campaign.id, trigger: trigger.trigger?.id, region: region.region.id))
            }
        }
    }
}

extension SubjectRecord {
    /// Whoever leaves a region does not dwell there any more, and need not leave it again.
    func forgetTimers(in regions: [RegionPlan]) {
        for region in regions {
            timers.removeAll { $0.region == region.region.id && ($0.purpose == .dwell || $0.purpose == .exit) }
        }
    }
}

extension SubjectRecord.Timer {
    fileprivate func precedes(_ other: SubjectRecord.Timer) -> Bool {
        (due, sequence) < (other.due, other.sequence)
    }
}
