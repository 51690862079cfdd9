import BelfryModel

extension Engine {
    /// Fires the timers of a subject that are due by then, each with its due time as the time of its decisions.
    func fire(_ lent: LentRecord, until time: Instant, into effects: inout Effects) -> Int {
        var count = 0
        while let due = lent.record.nextDue, due <= time, let timer = lent.record.takeNextTimer() {
            fire(timer, lent, into: &effects)
            count += 1
        }
        return count
    }

    func fire(_ timer: SubjectRecord.Timer, _ lent: LentRecord, into effects: inout Effects) {
        lent.record.latest = max(lent.record.latest, timer.due)
        let moment = Moment(lent: lent, now: timer.due, time: timer.due, cause: timer.cause, channel: timer.channel)
        if timer.purpose == .exit {
            return cross(Crossing(leaving: [timer.region].compactMap { $0 }), moment, into: &effects)
        }
        // One without items ends without a sound.
        if case .digest(let digest) = timer.purpose, digest.items.count == 0 { return }
        // Timers of campaigns, triggers or regions that have left the configuration are dropped, and those of a trigger that now waits for
        // something else or elsewhere.
        guard let campaign = catalog.campaign(timer.campaign), campaign.campaign.published,
            let trigger = catalog.trigger(timer.trigger, of: campaign)
        else { return }
        let region = timer.region.flatMap { catalog.regionByID[$0] }
        guard timer.region == nil || region != nil, trigger.arms(timer.purpose, in: region) else { return }
        switch timer.purpose {
        case .dwell: become(trigger, in: region, moment, into: &effects)
        case .deferral(let asked):
            become(trigger, in: region, moment, isDeferred: true, asked: asked, into: &effects)
        case .digest(let digest):
            become(trigger, in: region, moment, isDeferred: true, asked: digest.askedAtClose, into: &effects)
        case .exit: return  // done above: it has no campaign
        }
        decide(moment, into: &effects)
    }

    /// Plot Projects: a dwell candidate is born when the subject has stayed for the whole time.
    func armDwelling(in regions: [RegionPlan], _ moment: borrowing Moment) {
        guard catalog.isEnabled(moment.record) else { return }
        for region in regions {
            for trigger in region.dwell {
                guard case .dwell(let time) = trigger.event else { continue }
                moment.record.arm(
                    .dwell, at: moment.now + time, cause: moment.cause, channel: moment.channel,
                    origin: Decision.Origin(
                        campaign: trigger.campaignID, trigger: trigger.trigger?.id, region: region.region.id))
            }
        }
    }
}
