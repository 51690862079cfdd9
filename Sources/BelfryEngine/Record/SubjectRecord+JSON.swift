import BelfryModel

extension SubjectRecord {
    /// The record as JSON, complete: for `belfry state show --json` and `belfry state export`.
    ///
    /// Everything is in the order in which it came about, so equal records give equal bytes. Of the ids of signals and the keys
    /// of requests only hashes are kept, so only their number is told.
    public var value: Value {
        .map(identity + places + times + told + memory)
    }

    private var identity: Fields {
        var fields = Fields([("subject", .text(subject))])
        if latest != .distantPast { fields["latest"] = .text(latest.description) }
        fields["enabled"] = isEnabled.map { .bool($0) }
        fields["app"] = app.value
        fields["user"] = .map(user)
        fields["channels"] = .list(channels.map(\.value))
        fields["lastChannel"] = lastChannel.map { .text($0) }
        return fields
    }

    private var places: Fields {
        var fields = Fields()
        fields["position"] = position.map { ["latitude": .number($0.latitude), "longitude": .number($0.longitude)] }
        fields["presence"] = .list(presence.map(\.value))
        fields["near"] = .list(proximity.map(\.value))
        fields["watched"] = .list(watched.sorted().map { .text($0.text) })
        return fields
    }

    private var times: Fields {
        [
            "timers": .list(timers.map(\.value)), "timersArmed": .integer(Int64(block[.timersArmed])),
            "decisions": .integer(Int64(clamping: decisions)),
        ]
    }

    private var told: Fields {
        [
            "current": .list(current.map(\.value)), "notifications": .list(notifications.map(\.value)),
            "geotriggers": .list(geotriggers.map(\.value)), "campaigns": .list(tallies.map(\.value)),
        ]
    }

    private var memory: Fields {
        [
            "processedSignals": .integer(Int64(rememberedIDs.signals)),
            "requestKeys": .integer(Int64(rememberedIDs.requests)),
            "state": .list(states.map(\.value)),
        ]
    }
}

extension SubjectRecord.AppState {
    var value: Value? {
        switch self {
        case .unknown: nil
        case .foreground(let since): ["state": "foreground", "since": .text(since.description)]
        case .background(let since): ["state": "background", "since": .text(since.description)]
        }
    }
}

extension SubjectRecord.Channel {
    fileprivate var value: Value { ["id": .text(id), "attributes": .map(attributes), "automatic": .map(automatic)] }
}

extension SubjectRecord.Presence {
    fileprivate var value: Value {
        var fields: Fields = [
            "region": .text(region), "inside": .bool(isInside), "since": .text(since.description),
        ]
        if isReported { fields["reported"] = true }
        return .map(fields)
    }
}

extension SubjectRecord.Proximity {
    fileprivate var value: Value {
        ["region": .text(region), "beacon": .text(beacon), "campaign": .text(campaign), "trigger": .text(trigger)]
    }
}

extension SubjectRecord.Timer {
    fileprivate var value: Value {
        var fields: Fields = [
            "purpose": .text(name), "due": .text(due.description), "sequence": .integer(Int64(clamping: sequence)),
            "cause": .text(cause),
        ]
        fields["channel"] = channel.map { .text($0) }
        if purpose != .exit { fields["campaign"] = .text(campaign) }
        fields["trigger"] = trigger.map { .text($0) }
        fields["region"] = region.map { .text($0) }
        if case .deferral(let asked) = purpose { fields = fields + asked.fields }
        if case .digest(let digest) = purpose { fields = fields + digest.fields }
        return .map(fields)
    }
}

extension SubjectRecord.Digest {
    fileprivate var fields: Fields {
        var fields: Fields = ["entry": .text(entry), "opened": .text(opened.description)]
        fields["counter"] = counter.map { .text($0) }
        return fields + items.fields + asked.fields
    }
}

extension SubjectRecord.CollectedItems {
    fileprivate var fields: Fields {
        let items = digest.items.map { item -> Value in
            var fields: Fields = ["cause": .text(item.cause)]
            fields["data"] = item.data
            fields["time"] = .text(item.time.description)
            fields["campaign"] = item.campaign.map { .text($0) }
            return .map(fields)
        }
        return ["items": .list(items), "count": .integer(Int64(count))]
    }
}

extension SubjectRecord.Asked {
    fileprivate var fields: Fields {
        var fields = Fields()
        fields["title"] = title.map { .text($0) }
        fields["message"] = message.map { .text($0) }
        fields["data"] = data
        fields["eventData"] = eventData
        return digest.map { fields + $0.fields } ?? fields
    }
}

extension SubjectRecord.Current {
    fileprivate var value: Value {
        var fields: Fields = ["notification": .text(notification), "campaign": .text(snapshot.campaign)]
        fields["trigger"] = snapshot.trigger.map { .text($0) }
        fields["region"] = snapshot.region.map { .text($0) }
        fields["channel"] = snapshot.channel.map { .text($0) }
        fields["createdAt"] = .text(createdAt.description)
        fields["openedAt"] = openedAt.map { .text($0.description) }
        fields["deletedOnExit"] = .bool(isDeletedOnExit)
        fields["eventData"] = snapshot.eventData
        return .map(fields + snapshot.content.fields)
    }
}

extension SubjectRecord.HistoryEntry {
    fileprivate var value: Value {
        var fields = summary
        fields["trigger"] = snapshot.trigger.map { .text($0) }
        fields["region"] = snapshot.region.map { .text($0) }
        fields["channel"] = snapshot.channel.map { .text($0) }
        fields["eventData"] = snapshot.eventData
        return .map(fields + snapshot.content.fields)
    }
}

extension Decision.Content {
    fileprivate var fields: Fields {
        var fields = Fields()
        fields["title"] = title.map { .text($0) }
        fields["message"] = message.map { .text($0) }
        fields["data"] = data
        fields["presentation"] = presentation
        fields["handler"] = .text(handler)
        fields["category"] = category.map { .text($0) }
        fields["buttons"] = buttons
        return fields
    }
}

extension SubjectRecord.Tally {
    fileprivate var value: Value {
        ["campaign": .text(campaign), "count": .integer(count), "lastAt": .text(lastAt.description)]
    }
}

extension SubjectRecord.State {
    fileprivate var value: Value {
        var fields = Fields([("entry", .text(entry)), ("strategy", .text(strategy))])
        fields["counter"] = counter.map { .text($0) }
        fields["version"] = version.map { .integer(Int64($0)) }
        fields["values"] = .map(Fields(values.map { ($0.key, $0.value.value) }))
        return .map(fields)
    }
}

extension Fields {
    /// All members of both; of two with one key the right one holds, in the place of the left.
    fileprivate static func + (left: Fields, right: Fields) -> Fields {
        Fields((left.entries + right.entries).map { ($0.key, $0.value) })
    }
}
