import BelfryModel
import CBelfry

// The current notifications of the subject as plugins may look at them: `belfry.current/1`.

extension CallScope {
    /// What is known of each, the oldest first.
    var current: [Fields] {
        if let knownCurrent { return knownCurrent }
        let current = record.current.map { document(of: $0) }
        knownCurrent = current
        return current
    }

    /// Nil beyond the last one.
    func current(at index: UInt64) -> Fields? {
        if index == BELFRY_CURRENT_CANDIDATE { return hasCandidate ? candidateDocument : nil }
        return index < UInt64(current.count) ? current[Int(index)] : nil
    }

    private func document(of current: SubjectRecord.Current) -> Fields {
        let tags = catalog.campaign(current.campaign)?.campaign.tags ?? []
        var fields = Fields([("notification", .text(current.notification)), ("campaign", .text(current.campaign))])
        fields["tags"] = .list(tags.map { .text($0) })
        fields["data"] = current.eventData
        fields["createdAt"] = .text(current.createdAt.description)
        return fields
    }

    /// The candidate as if it had been created just now.
    private var candidateDocument: Fields {
        let campaign = candidate.campaign.campaign
        var fields = Fields([("campaign", .text(campaign.id))])
        fields["tags"] = .list(campaign.tags.map { .text($0) })
        fields["data"] = candidate.asked?.eventData
        fields["createdAt"] = .text(now.description)
        return fields
    }
}
