import BelfryModel

/// What a segment sees: bare properties are attributes of the channel, else of the user; `user.x`, `channel.x` and
/// `history.<campaign>.count` choose.
struct SegmentProperties: ConditionProperties {
    private let lent: LentRecord
    /// The channel of the signal; without one, the channel registered last stands in.
    private let channel: String?

    init(_ record: LentRecord, channel: String?) { (lent, self.channel) = (record, channel) }

    func value(at path: [String]) -> Value? {
        switch path.first {
        case "user" where path.count > 1: user(path.dropFirst())
        case "channel" where path.count > 1: attribute(path.dropFirst())
        case "history" where path.count > 2: history(path.dropFirst())
        default: attribute(path[...]) ?? user(path[...])
        }
    }

    func passes(_ test: any Condition.Test, named name: String) -> Bool {
        // Most subjects have no channel.
        if lent.record.hasChannels { return test.holds(for: value(at: [name]) ?? .null) }
        guard let view = lent.record.userAttribute(name) else { return test.holds(for: .null) }
        return test.holds(at: view)
    }

    /// All attributes of the user or of the channel; nil without a channel.
    func attributes(of root: String) -> Value? {
        if root == "user" { return .map(lent.record.user) }
        guard let channel = lent.record.channel(for: channel) else { return nil }
        var fields = channel.attributes
        for entry in channel.automatic.entries { fields[entry.key] = entry.value }
        return .map(fields)
    }

    private func user(_ path: ArraySlice<String>) -> Value? { lent.record.user.value(at: path) }

    private func attribute(_ path: ArraySlice<String>) -> Value? {
        guard let channel = lent.record.channel(for: channel) else { return nil }
        return channel.automatic.value(at: path) ?? channel.attributes.value(at: path)
    }

    /// The last part is `count` or `lastAt`; what is before it is the campaign's id, which may have dots.
    private func history(_ path: ArraySlice<String>) -> Value? {
        let tally = lent.record.tally(of: path.dropLast().joined(separator: "."))
        return switch path.last {
        case "count": .integer(tally?.count ?? 0)
        case "lastAt": tally.map { .text($0.lastAt.description) }
        default: nil
        }
    }
}

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
