import BelfryModel

extension SubjectRecord {
    /// The record as JSON, complete: for `belfry state show --json` and `belfry state export`.
    ///
    /// Everything is in the order in which it came about, so equal records give equal bytes. Of the ids of signals and the keys
    /// of requests only hashes are kept, so only their number is told.
    public var value: Value {
        .map(identity + whereabouts + times + told + memory)
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

    private var whereabouts: Fields {
        var fields = Fields()
        fields["position"] = position.map { ["latitude": .number($0.latitude), "longitude": .number($0.longitude)] }
        fields["presence"] = .list(presence.map(\.value))
        fields["near"] = .list(proximity.map(\.value))
        fields["watched"] = .list(watched.sorted().map { .text($0) })
        return fields
    }

    private var times: Fields {
        ["timers": .list(timers.map(\.value)), "timersArmed": .integer(Int64(clamping: nextSequence))]
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
            "state": .list(usedSlots.map(\.slot.value)),
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
        return .map(fields)
    }
}

extension SubjectRecord.Asked {
    fileprivate var fields: Fields {
        var fields = Fields()
        fields["title"] = title.map { .text($0) }
        fields["message"] = message.map { .text($0) }
        fields["data"] = data
        fields["eventData"] = eventData
        return fields
    }
}

extension SubjectRecord.Current {
    fileprivate var value: Value {
        var fields: Fields = ["notification": .text(notification), "campaign": .text(campaign)]
        fields["trigger"] = trigger.map { .text($0) }
        fields["region"] = region.map { .text($0) }
        fields["channel"] = channel.map { .text($0) }
        fields["createdAt"] = .text(createdAt.description)
        fields["openedAt"] = openedAt.map { .text($0.description) }
        fields["deletedOnExit"] = .bool(isDeletedOnExit)
        fields["eventData"] = eventData
        return .map(fields + content.fields)
    }
}

extension SubjectRecord.HistoryEntry {
    fileprivate var value: Value {
        var fields = summary
        fields["trigger"] = trigger.map { .text($0) }
        fields["region"] = region.map { .text($0) }
        fields["channel"] = channel.map { .text($0) }
        fields["eventData"] = eventData
        return .map(fields + content.fields)
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

extension Slot {
    fileprivate var value: Value {
        var fields = Fields([("entry", .text(entry)), ("strategy", .text(strategy))])
        fields["counter"] = counter.map { .text($0) }
        let saved = saved
        fields["version"] = .integer(Int64(saved.version))
        fields["values"] = .map(Fields(saved.values.map { ($0.key, $0.value.value) }))
        return .map(fields)
    }
}

extension StateValue {
    /// As JSON: bytes in hexadecimal, instants as RFC 3339.
    public var value: Value {
        switch self {
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .bool(let bool): .bool(bool)
        case .text(let text): .text(text)
        case .bytes(let bytes): .text(bytes.hexadecimal)
        case .instant(let instant): .text(instant.description)
        case .integers(let integers): .list(integers.map { .integer($0) })
        }
    }

    /// For people.
    public var text: String { value.text ?? value.json }
}

extension [UInt8] {
    /// Two digits a byte, in lower case.
    public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}

extension Fields {
    /// All members of both; of two with one key the right one holds, in the place of the left.
    fileprivate static func + (left: Fields, right: Fields) -> Fields {
        Fields((left.entries + right.entries).map { ($0.key, $0.value) })
    }
}
