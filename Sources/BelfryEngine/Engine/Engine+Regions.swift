import BelfryModel

extension Engine {
    /// A position: entries into and exits from geofences follow from it.
    func locate(_ position: Coordinate, accuracy: Double?, _ moment: borrowing Moment, into effects: inout Effects) {
        if isTooRough(accuracy) { return effects.ignore(.inaccuratePosition) }
        let watched = watchedFences(from: position)
        var inside: [Int] = []
        catalog.fences.regions(containing: position, into: &inside)
        let entering = inside.filter { watched?.contains($0) ?? true }.map { catalog.regions[$0].region.id }
        let leaving = moment.record.regionsInside.filter { region in
            guard let region = catalog.regionByID[region] else { return true }
            guard region.isGeofence else { return false }
            return !inside.contains(region.index) && watched?.contains(region.index) ?? true
        }
        moment.record.position = position
        startMonitoring(moment, fences: watched, into: &effects)
        cross(Crossing(entering: entering, leaving: leaving), moment, into: &effects)
    }

    /// Plot Projects: no notification without an accurate position. One that does not say how accurate it is counts as accurate.
    func isTooRough(_ accuracy: Double?) -> Bool {
        guard let limit = catalog.configuration.accuracyLimit, let accuracy else { return false }
        return accuracy > limit
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

        var isEmpty: Bool { entering.isEmpty && leaving.isEmpty && near.isEmpty && away.isEmpty }
    }

    /// Updates presence and decides what the crossings trigger: deletions, exits, entries, in this order.
    ///
    /// Entering while inside is nothing; so is leaving while outside. Leaving a region of unknown presence is an exit.
    func cross(_ crossing: Crossing, _ moment: borrowing Moment, into effects: inout Effects) {
        if crossing.isEmpty { return }
        forget(crossing.leaving.filter { catalog.regionByID[$0] == nil }, moment)
        let left = crossing.leaving.compactMap { catalog.regionByID[$0] }.filter { isInside($0, moment) ?? true }
        let entered = crossing.entering.compactMap { catalog.regionByID[$0] }.filter {
            moment.record.presence(in: $0.region.id)?.isInside != true
        }
        moment.record.setPresence(
            false, in: left.map(\.region.id), at: moment.now, isReported: crossing.isReported)
        moment.record.setPresence(
            true, in: entered.map(\.region.id), at: moment.now, isReported: crossing.isReported)
        // A subject that leaves a region has no dwell timers there any more, and no exit timer.
        moment.record.removeTimers(.dwell, .exit, in: left.map(\.region.id))
        if crossing.isReported { moment.record.takeOver(crossing.entering) }
        let away = crossing.away + goneAway(with: left, moment)

        delete(deletable(leaving: left, moment), moment, into: &effects)
        decideAll(left.flatMap { region in region.exit.map { ($0, region) } } + away, moment, into: &effects)
        armDwelling(in: entered, moment)
        decideAll(
            entered.flatMap { region in region.enter.map { ($0, region) } } + crossing.near, moment, into: &effects)
    }

    /// Ends presence in regions that have left the configuration, without a decision: when one comes back, the subject may enter it.
    private func forget(_ regions: [String], _ moment: borrowing Moment) {
        if regions.isEmpty { return }
        moment.record.setPresence(false, in: regions, at: moment.now, isReported: false)
        moment.record.removeTimers(.dwell, .exit, in: regions)
        moment.record.proximity = moment.record.proximity.filter { !$0.region.isAmong(regions) }
    }

    /// Whether the subject is inside of a region; nil while it is unknown. After a position, every geofence without presence that is watched
    /// there is one that the subject is outside of.
    private func isInside(_ region: RegionPlan, _ moment: borrowing Moment) -> Bool? {
        if let presence = moment.record.presence(in: region.region.id) { return presence.isInside }
        guard region.isGeofence, let position = moment.record.position else { return nil }
        return watchedFences(from: position)?.contains(region.index) ?? true ? false : nil
    }

    private func decideAll(
        _ crossings: [(TriggerPlan, RegionPlan)], _ moment: borrowing Moment, into effects: inout Effects
    ) {
        let due = crossings.filter { $0.0.campaign.campaign.published }.sorted { Self.inOrder($0, $1) }
        for (trigger, region) in due {
            become(trigger, in: region, moment, into: &effects)
            decide(moment, into: &effects)
        }
    }

    /// Larger priority first, then campaigns, triggers and regions in file order.
    private static func inOrder(_ left: (TriggerPlan, RegionPlan), _ right: (TriggerPlan, RegionPlan)) -> Bool {
        // The priorities are the other way round.
        (right.0.campaign.campaign.priority, left.0.campaign.index, left.0.index, left.1.index)
            < (left.0.campaign.campaign.priority, right.0.campaign.index, right.0.index, right.1.index)
    }

    /// The current notifications that the exits put up for deletion, in the order of candidates.
    private func deletable(
        leaving regions: [RegionPlan], _ moment: borrowing Moment
    ) -> [SubjectRecord.Current] {
        if regions.isEmpty { return [] }
        let current = moment.record.current(in: regions.map(\.region.id))
        let due = current.compactMap { current -> (SubjectRecord.Current, TriggerPlan, RegionPlan)? in
            guard let region = current.region, let plan = catalog.regionByID[region] else { return nil }
            let trigger = trigger(
                of: Decision.Origin(campaign: current.campaign, trigger: current.trigger, region: region))
            // Of a campaign that has left the configuration, what was so at its creation.
            let isConfigured = catalog.campaign(current.campaign) != nil
            let isDeleted = isConfigured ? trigger.campaign.campaign.deleteOn == .exit : current.isDeletedOnExit
            return isDeleted ? (current, trigger, plan) : nil
        }
        return due.sorted { Self.inOrder(($0.1, $0.2), ($1.1, $1.2)) }.map(\.0)
    }
}
