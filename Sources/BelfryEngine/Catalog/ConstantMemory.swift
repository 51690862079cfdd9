import BelfryModel
import CBelfry

/// What a catalog lends to plugins unchanged for as long as it lives.
final class ConstantMemory: @unchecked Sendable {
    // Unchecked: written while the catalog is compiled, read from then on.
    private let arena = Arena()

    /// NULL for nothing.
    func value(_ value: Value?) -> Constant<UnsafePointer<belfry_value>?> { Constant(arena.value(value)) }

    /// A candidate of a trigger, as far as it is known beforehand: its texts only where nothing has a say in them.
    func candidate(_ campaign: CampaignPlan, trigger: CText?, event: CText) -> Constant<UnsafePointer<belfry_candidate>>
    {
        let content = campaign.content
        let place = arena.allocate(bytes: MemoryLayout<belfry_candidate>.size)
            .bindMemory(to: belfry_candidate.self, capacity: 1)
        place.initialize(
            to: belfry_candidate(
                kind: campaign.isGeotrigger ? BELFRY_KIND_GEOTRIGGER : BELFRY_KIND_NOTIFICATION,
                deferred: 0,
                priority: campaign.campaign.priority,
                campaign: campaign.id.c,
                trigger: trigger?.c ?? .absent,
                event: event.c,
                region: .absent, region_name: .absent, notification: .absent, counter: .absent,
                title: arena.text(content?.title),
                message: arena.text(content?.message),
                handler: arena.text(content?.handler),
                category: arena.text(content?.category),
                data: arena.value(content?.data),
                presentation: arena.value(content?.presentation),
                region_fields: nil))
        return Constant(UnsafePointer(place))
    }
}
