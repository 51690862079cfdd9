import BelfryEngine
import BelfryModel
import BelfryPluginHost

extension SimulationReport {
    /// As in `belfry simulate --json` (docs/simulate.md).
    public var value: Value {
        var fields: Fields = [
            "belfry": .text(belfryVersion), "signals": signals, "a": a.value(ledger.dayHistogram(of: 0)),
            "b": b.value(ledger.dayHistogram(of: 1)),
        ]
        fields["timeline"] = timeline.value
        fields["subjects"] = ledger.change().value
        fields["differences"] = differences.value
        return .map(fields)
    }

    private var signals: Value {
        var fields: Fields = ["file": .text(file ?? "-"), "lines": .integer(Int64(lines))]
        fields["from"] = start.map { .text($0.description) }
        fields["to"] = end.map { .text($0.description) }
        fields["until"] = until.map { .text($0.description) }
        guard let sample = sample?.value.map else { return .map(fields) }
        fields["sample"] = .map(
            Fields(sample.entries.map { ($0.key, $0.value) } + [("skipped", .integer(Int64(skipped)))]))
        return .map(fields)
    }
}

extension SimulationSide {
    fileprivate func value(_ days: DayHistogram) -> Value {
        let configuration = catalog.configuration
        return [
            "config": .text(name), "app": .text(configuration.app), "timeZone": .text(configuration.timeZone),
            "fingerprint": .text(fingerprint), "run": .map(signals.fields), "counts": counts.value,
            "campaigns": .list(configuration.campaigns.map(value)),
            "groups": .list(
                configuration.groups.map { ["id": .text($0.id), "counts": counts(inGroup: $0.id).value] }),
            "entries": .list(entries.map(\.value)), "host": host.value(naming: "code"),
            "hours": .list((0..<24).map { hour in counts { $0 % 24 == hour }.value }),
            "weekdays": .list((0..<7).map { day in counts { $0 / 24 == day }.value }),
            "heat": ["created": heat(\.creations), "suppressed": heat(\.refusals)], "perDay": days.value,
            "timeToNext": waits.value,
        ]
    }

    private func value(_ campaign: Configuration.Campaign) -> Value {
        [
            "id": .text(campaign.id), "kind": .text(campaign.kind.rawValue),
            "groups": .list(campaign.groups.map { .text($0) }),
            "counts": (campaigns[campaign.id] ?? OutcomeCounts()).value,
        ]
    }

    /// Of the hours of the week that are wanted.
    func counts(_ isWanted: (Int) -> Bool) -> OutcomeCounts {
        hours.indices.filter(isWanted).reduce(into: OutcomeCounts()) { $0 += hours[$1] }
    }

    private func heat(_ number: KeyPath<OutcomeCounts, Int>) -> Value {
        .list(
            (0..<7).map { day in .list((0..<24).map { .integer(Int64(hours[day * 24 + $0][keyPath: number])) }) })
    }
}
