import BelfryModel

/// What `when` sees: campaign, region, trigger, data, user and channel.
struct CandidateProperties: ConditionProperties {
    let candidate: Candidate
    let segment: SegmentProperties
    /// Whether everything else is an attribute, as in `drop` of `personalize`.
    let hasBareAttributes: Bool

    func value(at path: [String]) -> Value? {
        let rest = path.dropFirst()
        switch path.first {
        case "campaign": return candidate.campaign.campaign.document.value(at: rest)
        case "region": return region(rest)
        case "trigger": return trigger(rest)
        case "data": return candidate.data(at: rest)
        case "user", "channel": return rest.isEmpty ? segment.attributes(of: path[0]) : segment.value(at: path)
        default: return hasBareAttributes ? segment.value(at: path) : nil
        }
    }

    func field(named name: String, at path: [String]) -> Value? {
        candidate.region?.object.fields[name].map { .text($0) }
    }

    private func region(_ path: ArraySlice<String>) -> Value? {
        guard let region = candidate.region?.object.region else { return nil }
        switch path.first {
        case "id": return .text(region.id)
        case "name": return .text(region.name)
        case "kind": return if case .geofence = region.kind { "geofence" } else { "beacon" }
        case "fields": return region.fields.value(at: path.dropFirst())
        case nil: return .map(Fields(["id", "name", "kind", "fields"].map { ($0, self.region([$0]) ?? .null) }))
        default: return nil
        }
    }

    private func trigger(_ path: ArraySlice<String>) -> Value? {
        switch path.first {
        case "id": candidate.trigger.object.trigger.map { .text($0.id) }
        case "on": .text(candidate.trigger.object.event.name)
        case nil: .map(Fields(["id", "on"].compactMap { name in self.trigger([name]).map { (name, $0) } }))
        default: nil
        }
    }
}
