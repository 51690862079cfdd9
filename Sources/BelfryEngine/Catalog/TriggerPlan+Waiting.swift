extension TriggerPlan {
    /// Whether it makes candidates in that region, or without a region.
    func waits(at region: RegionPlan?) -> Bool {
        guard let region else { return !event.isAboutRegions }
        return region.triggers(waitingFor: event).contains { $0 === self }
    }

    /// Whether it could have armed such a timer as it is configured now.
    ///
    /// What the configuration gives no id goes by its position, so the trigger of that id may have become another one.
    func arms(_ purpose: SubjectRecord.Timer.Purpose, in region: RegionPlan?) -> Bool {
        if case .dwell = purpose, !event.isDwell { return false }
        return waits(at: region)
    }
}

extension RegionPlan {
    fileprivate func triggers(waitingFor event: Configuration.Event) -> [TriggerPlan] {
        switch event {
        case .enter: enter
        case .exit: exit
        case .dwell: dwell
        case .near, .away: isGeofence ? [] : proximity
        case .request, .signal: []
        }
    }
}

extension Configuration.Event {
    fileprivate var isAboutRegions: Bool {
        switch self {
        case .enter, .exit, .dwell, .near, .away: true
        case .request, .signal: false
        }
    }

    fileprivate var isDwell: Bool { if case .dwell = self { true } else { false } }
}
