import BelfryModel

extension Engine {
    /// A position: entries into and exits from geofences follow from it.
    func locate(_ position: Coordinate, accuracy: Double?, _ moment: Moment, into effects: inout Effects) {
        if let limit = catalog.configuration.accuracyLimit, let accuracy, accuracy > limit {
            return effects.ignore(.inaccuratePosition)
        }
        let record = moment.record
        let watched = watchedFences(from: position)
        var inside: [Int] = []
        catalog.fences.regions(containing: position, into: &inside)
        let entering = inside.filter { watched?.contains($0) ?? true }.map { catalog.regions[$0].region.id }
        let leaving = record.presence.filter { presence in
            guard presence.isInside, let region = catalog.regionByID[presence.region], region.isGeofence else {
                return false
            }
            return !inside.contains(region.index) && watched?.contains(region.index) ?? true
        }
        record.position = position
        startMonitoring(moment, fences: watched)
        cross(Crossing(entering: entering, leaving: leaving.map(\.region)), moment, into: &effects)
    }

    /// The nearest geofences, as many as the budget allows; nil if there is no budget.
    private func watchedFences(from position: Coordinate) -> Set<Int>? {
        guard catalog.configuration.regionLimit != nil else { return nil }
        return Set(catalog.watchedFences(from: position).map(\.index))
    }

    /// What one signal says of regions and beacons.
    struct Crossing {
        var entering: [String] = []
        var leaving: [String] = []
        /// By the device's own platform.
        var isReported = false
        /// Triggers whose beacon came near, or went away, by its distance.
        var near: [(TriggerPlan, RegionPlan)] = []
        var away: [(TriggerPlan, RegionPlan)] = []
    }

    /// Updates presence and decides what the crossings trigger: deletions, exits, entries, in this order.
    ///
    /// Entering while inside is nothing; so is leaving while outside. Leaving a region of unknown presence is an exit.
    func cross(_ crossing: Crossing, _ moment: Moment, into effects: inout Effects) {
        let record = moment.record
        let left = crossing.leaving.filter { isInside($0, record) ?? true }.compactMap { catalog.regionByID[$0] }
        let entered = crossing.entering.filter { isInside($0, record) != true }.compactMap { catalog.regionByID[$0] }
        for region in left {
            record.setPresence(false, in: region.region.id, at: moment.now, isReported: crossing.isReported)
        }
        for region in entered {
            record.setPresence(true, in: region.region.id, at: moment.now, isReported: crossing.isReported)
        }
        record.forgetTimers(in: left)
        if crossing.isReported { record.takeOver(crossing.entering) }
        let away = crossing.away + goneAway(with: left, record)

        delete(deletable(leaving: left, record), moment, into: &effects)
        decideAll(left.flatMap { region in region.exit.map { ($0, region) } } + away, moment, into: &effects)
        armDwelling(in: entered, moment)
        decideAll(
            entered.flatMap { region in region.enter.map { ($0, region) } } + crossing.near, moment, into: &effects)
    }

    /// Nil while it is unknown. After a position, every geofence without presence is one the subject is outside of.
    private func isInside(_ id: String, _ record: SubjectRecord) -> Bool? {
        if let presence = record.presence(in: id) { return presence.isInside }
        return record.position != nil && catalog.regionByID[id]?.isGeofence == true ? false : nil
    }

    private func decideAll(_ crossings: [(TriggerPlan, RegionPlan)], _ moment: Moment, into effects: inout Effects) {
        let due = crossings.filter { $0.0.campaign.campaign.published }.sorted { Self.inOrder($0, $1) }
        for (trigger, region) in due {
            decide(candidate(trigger, in: region, moment, into: &effects), moment, into: &effects)
        }
    }

    /// Larger priority first, then campaigns, triggers and regions in file order.
    private static func inOrder(_ left: (TriggerPlan, RegionPlan), _ right: (TriggerPlan, RegionPlan)) -> Bool {
        (-left.0.campaign.campaign.priority, left.0.campaign.index, left.0.index, left.1.index)
            < (-right.0.campaign.campaign.priority, right.0.campaign.index, right.0.index, right.1.index)
    }

    /// The current notifications that the exits put up for deletion, in the order of candidates.
    private func deletable(leaving regions: [RegionPlan], _ record: SubjectRecord) -> [SubjectRecord.Current] {
        let ids = Set(regions.map(\.region.id))
        let due = record.current.compactMap { current -> (SubjectRecord.Current, TriggerPlan, RegionPlan)? in
            guard let region = current.region, ids.contains(region), let plan = catalog.regionByID[region] else {
                return nil
            }
            let trigger = trigger(
                of: Decision.Origin(campaign: current.campaign, trigger: current.trigger, region: region))
            return trigger.campaign.campaign.deleteOn == .exit ? (current, trigger, plan) : nil
        }
        return due.sorted { Self.inOrder(($0.1, $0.2), ($1.1, $1.2)) }.map(\.0)
    }
}
