import BelfryModel
import CBelfry

/// A notification or geotrigger that a signal or timer made eligible, on its way through the chain; or a created one that hooks
/// are asked and told about.
final class Candidate {
    let trigger: TriggerPlan
    let region: RegionPlan?
    /// The channel of the signal.
    let channel: String?
    let cause: String
    let isDeferred: Bool
    /// What the request or the signal said. Conditions on `data` and `per: data.<key>` look there before they look at the campaign's.
    let asked: SubjectRecord.Asked
    /// Its id, once it is created.
    var notification: String?
    /// What filters may change.
    var content: Decision.Content

    init(
        _ trigger: TriggerPlan, region: RegionPlan?, channel: String?, cause: String, isDeferred: Bool = false,
        asked: SubjectRecord.Asked = SubjectRecord.Asked(), notification: String? = nil, content: Decision.Content
    ) {
        self.trigger = trigger
        self.region = region
        self.channel = channel
        self.cause = cause
        self.isDeferred = isDeferred
        self.asked = asked
        self.notification = notification
        self.content = content
    }

    var campaign: CampaignPlan { trigger.campaign }

    var origin: Decision.Origin {
        Decision.Origin(campaign: campaign.campaign.id, trigger: trigger.trigger?.id, region: region?.region.id)
    }

    /// A value under `data`: of the signal, else of what is shown.
    func data(at path: ArraySlice<String>) -> Value? {
        asked.eventData?.value(at: path) ?? content.data?.value(at: path)
    }

    /// The candidate as a plugin sees it. Its texts live as long as the arena is not reset, or the catalog is there.
    func c(in arena: Arena) -> belfry_candidate {
        belfry_candidate(
            kind: campaign.isGeotrigger ? BELFRY_KIND_GEOTRIGGER : BELFRY_KIND_NOTIFICATION,
            deferred: isDeferred ? 1 : 0,
            priority: campaign.campaign.priority,
            campaign: campaign.id.c,
            trigger: trigger.id?.c ?? .absent,
            event: trigger.eventText.c,
            region: region?.id.c ?? .absent,
            region_name: region?.name.c ?? .absent,
            notification: arena.text(notification),
            counter: .absent,
            title: arena.text(content.title),
            message: arena.text(content.message),
            handler: arena.text(content.handler),
            category: arena.text(content.category),
            data: arena.value(content.data),
            presentation: arena.value(content.presentation),
            region_fields: arena.value(region.map { .map($0.region.fields) }))
    }
}
