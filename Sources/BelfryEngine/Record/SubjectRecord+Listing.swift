import BelfryModel

extension SubjectRecord {
    /// The record as JSON, for `belfry state show --json`.
    public var value: Value {
        var fields = Fields([("subject", .text(subject))])
        if latest != .distantPast { fields["latest"] = .text(latest.description) }
        fields["enabled"] = isEnabled.map { .bool($0) }
        fields["app"] = app.value
        fields["user"] = .map(user)
        fields["channels"] = .list(
            channels.map { ["id": .text($0.id), "attributes": .map($0.attributes), "automatic": .map($0.automatic)] })
        fields["position"] = position.map { ["latitude": .number($0.latitude), "longitude": .number($0.longitude)] }
        fields["presence"] = .list(
            presence.map {
                ["region": .text($0.region), "inside": .bool($0.isInside), "since": .text($0.since.description)]
            })
        fields["near"] = .list(
            proximity.map {
                [
                    "region": .text($0.region), "beacon": .text($0.beacon), "campaign": .text($0.campaign),
                    "trigger": .text($0.trigger),
                ]
            })
        fields["timers"] = .list(timers.map(\.value))
        fields["current"] = .list(
            current.map {
                [
                    "notification": .text($0.notification), "campaign": .text($0.campaign),
                    "createdAt": .text($0.createdAt.description),
                ]
            })
        fields["campaigns"] = .list(
            tallies.map {
                ["campaign": .text($0.campaign), "count": .integer($0.count), "lastAt": .text($0.lastAt.description)]
            })
        fields["processedSignals"] = .integer(Int64(processed.count))
        fields["state"] = .list(slots.filter { !$0.saved.values.isEmpty }.map(\.value))
        return .map(fields)
    }

    /// The record as lines of key and value, for people: `cooldown[sale].last = 2026-03-02T09:00:00Z`.
    public var lines: [(key: String, value: String)] {
        var lines: [(key: String, value: String)] = [("subject", subject)]
        if latest != .distantPast { lines.append(("latest", latest.description)) }
        if let isEnabled { lines.append(("enabled", String(isEnabled))) }
        if let app = app.value?.map { lines.append(("app", "\(app["state"]!.text!) since \(app["since"]!.text!)")) }
        lines += user.entries.map { ("user.\($0.key)", $0.value.json) }
        for channel in channels {
            lines += channel.attributes.entries.map { ("channel[\(channel.id)].\($0.key)", $0.value.json) }
            lines += channel.automatic.entries.map { ("channel[\(channel.id)].\($0.key)", $0.value.json) }
        }
        if let position { lines.append(("position", "\(position.latitude), \(position.longitude)")) }
        lines += presence.map { ("region[\($0.region)]", "\($0.isInside ? "inside" : "outside") since \($0.since)") }
        lines += proximity.map { ("near[\($0.beacon)]", "for \($0.campaign)/\($0.trigger) in \($0.region)") }
        lines += timers.map {
            (
                "timer[\($0.sequence)]",
                "\($0.name) of \($0.purpose == .exit ? $0.region ?? "" : $0.campaign) due \($0.due)"
            )
        }
        lines += current.map {
            ("current[\($0.notification)]", "created \($0.createdAt)" + ($0.region.map { " in \($0)" } ?? ""))
        }
        lines += tallies.map { ("created[\($0.campaign)]", "\($0.count), last \($0.lastAt)") }
        for slot in slots {
            let name = slot.counter.map { "\(slot.entry)[\($0)]" } ?? slot.entry
            lines += slot.saved.values.map { ("\(name).\($0.key)", $0.value.text) }
        }
        return lines
    }
}

extension SubjectRecord.AppState {
    fileprivate var value: Value? {
        switch self {
        case .unknown: nil
        case .foreground(let since): ["state": "foreground", "since": .text(since.description)]
        case .background(let since): ["state": "background", "since": .text(since.description)]
        }
    }
}

extension SubjectRecord.Timer {
    fileprivate var name: String {
        switch purpose {
        case .dwell: "dwell"
        case .deferral: "deferral"
        case .exit: "exit"
        }
    }

    fileprivate var value: Value {
        var fields = Fields([("purpose", .text(name)), ("due", .text(due.description))])
        if purpose != .exit { fields["campaign"] = .text(campaign) }
        fields["trigger"] = trigger.map { .text($0) }
        fields["region"] = region.map { .text($0) }
        return .map(fields)
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
        case .bytes(let bytes): .text(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        case .instant(let instant): .text(instant.description)
        case .integers(let integers): .list(integers.map { .integer($0) })
        }
    }

    /// For people.
    public var text: String { value.text ?? value.json }
}
