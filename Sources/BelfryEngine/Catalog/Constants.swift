import BelfryModel
import CBelfry

/// What a catalog lends to plugins unchanged for as long as it lives.
final class Constants: @unchecked Sendable {
    // Unchecked: written while the catalog is compiled, read from then on.
    private let arena = Arena()
    private let heads = Arena()

    func value(_ value: Value?) -> Constant<belfry_value> { Constant(arena.value(value)) }

    func copy(_ candidate: belfry_candidate) -> UnsafePointer<belfry_candidate> {
        let copy = arena.allocate(bytes: MemoryLayout<belfry_candidate>.size)
            .bindMemory(to: belfry_candidate.self, capacity: 1)
        copy.initialize(to: candidate)
        return UnsafePointer(copy)
    }

    /// Room for the head of a trigger with so many candidates right behind it, beginning with a line of memory.
    func roomForHead(
        candidates count: Int
    ) -> (UnsafeMutablePointer<TriggerHead>, UnsafeMutablePointer<CountedCandidate>) {
        let size = MemoryLayout<TriggerHead>.stride
        let place = heads.allocate(bytes: size + count * MemoryLayout<CountedCandidate>.stride, alignment: 64)
        return (
            place.bindMemory(to: TriggerHead.self, capacity: 1),
            (place + size).bindMemory(to: CountedCandidate.self, capacity: count)
        )
    }

    /// A candidate of a trigger, as far as it is known beforehand: its texts only where nothing has a say in them.
    func candidate(_ campaign: CampaignPlan, trigger: CText?, event: CText) -> belfry_candidate {
        let content = campaign.content
        return belfry_candidate(
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
            region_fields: nil)
    }
}

/// The place of something that does not change, kept by `Constants`; NULL for nothing.
struct Constant<Struct>: @unchecked Sendable {
    // Unchecked: what it leads to is written once, before anybody else sees it.
    let pointer: UnsafePointer<Struct>?

    init(_ pointer: UnsafePointer<Struct>?) { self.pointer = pointer }
}
