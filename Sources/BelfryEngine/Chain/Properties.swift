import BelfryModel

/// What a segment sees: bare properties are attributes of the channel, else of the user; `user.x`, `channel.x` and
/// `history.<campaign>.count` choose.
///
/// Made anew for each condition, so it counts no references: whoever holds a condition against it keeps the record and the name of the
/// channel.
struct SegmentProperties: ConditionProperties {
    private let lent: Unmanaged<SubjectRecord>
    /// The channel of the signal; without one, the channel registered last stands in.
    private let lentChannel: LentText?

    init(_ record: Unmanaged<SubjectRecord>, channel: LentText?) {
        lent = record
        lentChannel = channel
    }

    private var channel: String? { lentChannel?.text }

    private var record: SubjectRecord { lent.takeUnretainedValue() }

    func value(at path: [String]) -> Value? {
        switch path.first {
        case "user" where path.count > 1: user(path.dropFirst())
        case "channel" where path.count > 1: attribute(path.dropFirst())
        case "history" where path.count > 2: history(path.dropFirst())
        default: attribute(path[...]) ?? user(path[...])
        }
    }

    func value(named name: String) -> Value? {
        lent._withUnsafeGuaranteedRef { record in
            // Most subjects have no channel.
            guard record.hasChannels, let channel = record.channel(for: channel) else { return record.user[name] }
            return channel.automatic[name] ?? channel.attributes[name] ?? record.user[name]
        }
    }

    /// Apart: in one piece with others, the attributes would be counted.
    @inline(never)
    func place(named name: String) -> UnsafePointer<Value>? {
        lent._withUnsafeGuaranteedRef { record in
            if record.hasChannels { return nil }
            return record.user.place(of: name)
        }
    }

    private func user(_ path: ArraySlice<String>) -> Value? { record.user.value(at: path) }

    private func attribute(_ path: ArraySlice<String>) -> Value? {
        guard let channel = record.channel(for: channel) else { return nil }
        return channel.automatic.value(at: path) ?? channel.attributes.value(at: path)
    }

    /// The last part is `count` or `lastAt`; what is before it is the campaign's id, which may have dots.
    private func history(_ path: ArraySlice<String>) -> Value? {
        let tally = record.tally(of: path.dropLast().joined(separator: "."))
        return switch path.last {
        case "count": .integer(tally?.count ?? 0)
        case "lastAt": tally.map { .text($0.lastAt.description) }
        default: nil
        }
    }
}

/// What `when` sees: campaign, region, trigger, data, user and channel.
struct CandidateProperties: ConditionProperties {
    static let roots = ["campaign", "region", "trigger", "data", "user", "channel"]

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
        case "user", "channel": return segment.value(at: path)
        default: return hasBareAttributes ? segment.value(at: path) : nil
        }
    }

    private func region(_ path: ArraySlice<String>) -> Value? {
        guard let region = candidate.region?.region else { return nil }
        switch path.first {
        case "id": return .text(region.id)
        case "name": return .text(region.name)
        case "kind": return if case .geofence = region.kind { "geofence" } else { "beacon" }
        case "fields": return region.fields.value(at: path.dropFirst())
        case nil: return .map(Fields([("id", .text(region.id)), ("name", .text(region.name))]))
        default: return nil
        }
    }

    private func trigger(_ path: ArraySlice<String>) -> Value? {
        switch path.first {
        case "id": candidate.trigger.trigger.map { .text($0.id) }
        case "on": .text(candidate.trigger.event.name)
        default: nil
        }
    }
}
