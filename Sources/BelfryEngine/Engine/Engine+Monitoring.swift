import BelfryModel
import CBelfry

extension Engine {
    /// Tells strategies of the regions that became watched for a subject since they were told last (AdTag, `onStartMonitoringRegion`).
    ///
    /// Without a region budget every region is watched from the subject's first signal on.
    func startMonitoring(_ moment: borrowing Moment, into effects: inout Effects) {
        guard catalog.isMonitored else { return }
        let isBudgeted = catalog.configuration.regionLimit != nil
        // One that has left the configuration is new when it comes back.
        let gone = moment.record.watched.filter { catalog.regionByID[$0.text] == nil }
        if !gone.isEmpty { moment.record.watched.subtract(gone) }
        monitor(catalog.regions.filter { !(isBudgeted && $0.isGeofence) }, moment, into: &effects)
    }

    /// The same for the geofences that a budget allows at a new position; one that left the budget is not watched any more.
    func startMonitoring(_ moment: borrowing Moment, fences: Set<Int>?, into effects: inout Effects) {
        guard catalog.isMonitored, let fences else { return }
        let outside = catalog.regions.filter { $0.isGeofence && !fences.contains($0.index) }
        moment.record.watched.subtract(outside.map { SubjectKey($0.region.id) })
        monitor(catalog.regions.filter { fences.contains($0.index) }, moment, into: &effects)
    }

    private func monitor(_ regions: [RegionPlan], _ moment: borrowing Moment, into effects: inout Effects) {
        let new = regions.filter { !moment.record.watched.contains(SubjectKey($0.region.id)) }
        if new.isEmpty { return }
        moment.record.watched.formUnion(new.map { SubjectKey($0.region.id) })
        for region in new {
            tellAll(.onStartMonitoring, moment, into: &effects) {
                $0.pointee.on_start_monitoring
            } call: { hook, instance, state, error in
                var id = region.id.c
                return hook(instance, state, &id, scope.cContext, error)
            }
        }
    }
}
