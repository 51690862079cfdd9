import BelfryModel

/// A trigger that waits for a subject at a region (Plot Projects: `loadedNotifications`, `loadedGeotriggers`).
public struct LoadedTrigger: Sendable, Hashable {
    public var campaign: String
    public var trigger: String
    public var region: String
    public var kind: Configuration.Kind
    /// What it waits for: `enter`, `exit`, `dwell`, `near` or `away`.
    public var on: String
    /// Filled in for the region, before any filter.
    public var message: String?
    /// Nil for a beacon region.
    public var center: Coordinate?
    /// From the subject's last position to the center, in m.
    public var distance: Double?
    public var data: Value?
}

extension Catalog {
    /// What is watched for a subject: the triggers of published campaigns at the regions that are watched.
    ///
    /// Geofences come first, the nearest at their head, then beacon regions in file order; at one region, campaigns and triggers
    /// in file order. Nothing is watched for a subject who is disabled, or whose position is unknown. A strategy may still
    /// refuse: it is asked when the trigger fires.
    public func loaded(for record: borrowing SubjectRecord) -> [LoadedTrigger] {
        guard let position = record.position, isEnabled(record) else { return [] }
        let fences = watchedFences(from: position).map { (regions[$0.index], Optional($0.distance)) }
        let beacons = regions.filter { !$0.isGeofence }.map { ($0, Double?.none) }
        return (fences + beacons).flatMap { region, distance in
            region.waiting.map { LoadedTrigger($0, at: region, distance: distance) }
        }
    }

    /// Whether the subject may be notified at all.
    public func isEnabled(_ record: borrowing SubjectRecord) -> Bool {
        record.isEnabled ?? configuration.enableOnFirstRun
    }

    /// The geofences that are watched at a position, nearest center first, ties in file order: all, or as many as the budget allows.
    func watchedFences(from position: Coordinate) -> ArraySlice<(distance: Double, index: Int)> {
        let distances = regions.compactMap { plan in
            plan.center.map { (distance: position.distance(to: $0), index: plan.index) }
        }
        return distances.sorted { $0 < $1 }.prefix(configuration.regionLimit ?? .max)
    }
}

extension RegionPlan {
    /// The triggers that wait for something at the region, in file order.
    fileprivate var waiting: [TriggerPlan] {
        (enter + exit + dwell + (isGeofence ? [] : proximity)).filter(\.campaign.campaign.published)
            .sorted(by: TriggerPlan.inFileOrder)
    }
}

extension LoadedTrigger {
    fileprivate init(_ plan: TriggerPlan, at region: RegionPlan, distance: Double?) {
        campaign = plan.campaign.campaign.id
        trigger = plan.trigger?.id ?? ""
        self.region = region.region.id
        kind = plan.campaign.campaign.kind
        on = plan.event.name
        message = plan.campaign.message?.filled(
            { region.value(of: $0) ?? Template.count($0, of: 1) }, missing: { _ in })
        center = region.center
        self.distance = distance
        data = plan.campaign.campaign.data
    }

    /// The same, with what it waits for and how far it is.
    package var wholeValue: Value {
        var fields = value.map ?? [:]
        fields["on"] = .text(on)
        fields["distance"] = distance.map { .number($0) }
        return .map(fields)
    }

    /// As in `belfry state loaded --json`.
    public var value: Value {
        var fields = Fields([
            ("campaign", .text(campaign)), ("trigger", .text(trigger)), ("region", .text(region)),
            ("kind", .text(kind.rawValue)),
        ])
        fields["message"] = message.map { .text($0) }
        fields["latitude"] = center.map { .number($0.latitude) }
        fields["longitude"] = center.map { .number($0.longitude) }
        fields["data"] = data
        return .map(fields)
    }
}
