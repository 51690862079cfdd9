import BelfryModel

extension SubjectRecord {
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
        for state in states {
            let name = state.counter.map { "\(state.entry)[\($0)]" } ?? state.entry
            lines += state.values.map { ("\(name).\($0.key)", $0.value.text) }
        }
        return lines
    }
}

extension SubjectRecord.Timer {
    var name: String {
        switch purpose {
        case .dwell: "dwell"
        case .deferral: "deferral"
        case .exit: "exit"
        case .digest: "digest"
        }
    }
}
