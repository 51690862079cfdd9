import BelfryModel

/// One beacon.
struct Beacon {
    let uuid: String
    let major: Int
    let minor: Int

    var id: String { "\(uuid.lowercased())/\(major)/\(minor)" }
}

extension Engine {
    /// A sighting of a beacon: presence of every region it belongs to, and with a distance, proximity.
    ///
    /// Insiteo: a region is entered with the first sighting of any of its beacons, and left after `exitDelay` without one;
    /// proximity is of one single beacon.
    func sight(_ beacon: Beacon, distance: Double?, _ moment: borrowing Moment, into effects: inout Effects) {
        let regions = regions(covering: beacon)
        guard !regions.isEmpty else { return effects.ignore(.unknownBeacon) }
        for region in regions { armExit(of: region, moment) }
        var crossing = Crossing(entering: regions.map(\.region.id))
        if let distance {
            for region in regions { range(beacon, at: distance, in: region, moment, &crossing) }
        }
        cross(crossing, moment, into: &effects)
    }

    func regions(covering beacon: Beacon) -> [RegionPlan] {
        (catalog.beaconRegions[beacon.uuid.lowercased()] ?? []).filter { $0.covers(beacon) }
    }

    /// Puts off the exit. What the device reported is for the device to end.
    private func armExit(of region: RegionPlan, _ moment: borrowing Moment) {
        let id = region.region.id
        if let presence = moment.record.presence(in: id), presence.isInside, presence.isReported { return }
        moment.record.removeTimers(.exit, in: [id])
        moment.record.arm(
            .exit, at: moment.now + catalog.configuration.beacons.exitDelay, cause: moment.cause,
            channel: moment.channel,
            origin: Decision.Origin(campaign: "", region: id))
    }

    /// In at `inside` or less, out beyond `outside`; between the two nothing changes.
    private func range(
        _ beacon: Beacon, at distance: Double, in region: RegionPlan, _ moment: borrowing Moment,
        _ crossing: inout Crossing
    ) {
        if region.proximity.isEmpty { return }
        var near = moment.record.proximity
        for trigger in region.proximity {
            guard let thresholds = trigger.thresholds else { continue }
            let proximity = SubjectRecord.Proximity(of: beacon, for: trigger, in: region)
            let index = near.firstIndex { $0.isSame(as: proximity) }
            if index == nil, distance <= thresholds.inside {
                near.append(proximity)
                if case .near = trigger.event { crossing.near.append((trigger, region)) }
            } else if let index, distance > thresholds.outside {
                near.remove(at: index)
                if case .away = trigger.event { crossing.away.append((trigger, region)) }
            }
        }
        moment.record.proximity = near
    }

    /// Leaving a region takes every beacon of it away: one trigger for each beacon that was near.
    func goneAway(with regions: [RegionPlan], _ moment: borrowing Moment) -> [(TriggerPlan, RegionPlan)] {
        var away: [(TriggerPlan, RegionPlan)] = []
        for region in regions where !region.proximity.isEmpty {
            let all = moment.record.proximity
            let near = all.filter { $0.region.isSameText(as: region.region.id) }
            moment.record.proximity = all.filter { !$0.region.isSameText(as: region.region.id) }
            for trigger in region.proximity {
                guard case .away = trigger.event else { continue }
                away += near.filter { $0.isFor(trigger) }.map { _ in (trigger, region) }
            }
        }
        return away
    }
}

extension RegionPlan {
    fileprivate func covers(_ beacon: Beacon) -> Bool {
        guard case .beacon(_, let major, let minor) = region.kind else { return false }
        return major == beacon.major && (minor ?? beacon.minor) == beacon.minor
    }
}

extension SubjectRecord.Proximity {
    fileprivate init(of beacon: Beacon, for trigger: TriggerPlan, in region: RegionPlan) {
        self.init(
            region: region.region.id, campaign: trigger.campaign.campaign.id, trigger: trigger.trigger?.id ?? "",
            beacon: beacon.id)
    }

    fileprivate func isFor(_ plan: TriggerPlan) -> Bool {
        campaign.isSameText(as: plan.campaign.campaign.id) && plan.trigger?.id.isSameText(as: trigger) == true
    }

    /// By bytes, as everywhere.
    fileprivate func isSame(as other: Self) -> Bool {
        region.isSameText(as: other.region) && campaign.isSameText(as: other.campaign)
            && trigger.isSameText(as: other.trigger) && beacon.isSameText(as: other.beacon)
    }
}

extension SubjectRecord {
    /// A device that reports an entry answers for the exit, too: sightings, and the want of them, count no more.
    mutating func takeOver(_ regions: [String]) {
        var presence = presence
        for index in presence.indices where presence[index].isInside && presence[index].region.isAmong(regions) {
            presence[index].isReported = true
        }
        self.presence = presence
        removeTimers(.exit, in: regions)
    }
}
