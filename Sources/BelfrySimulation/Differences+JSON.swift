import BelfryModel

extension Differences {
    private static let mostListed = 100

    /// The most frequent first.
    var sortedRows: [Row] { rows.values.sorted { ($1.count, $0.key.order) < ($0.count, $1.key.order) } }

    var sortedTransitions: [(a: Judgement.Outcome?, b: Judgement.Outcome?, count: Int)] {
        transitions.map { (a: $0[0], b: $0[1], count: $1) }
            .sorted { ($1.count, $0.a.name, $0.b.name) < ($0.count, $1.a.name, $1.b.name) }
    }

    var same: Int { compared - counts.values.reduce(0, +) }

    var value: Value {
        func count(_ number: Int) -> Value { .integer(Int64(number)) }
        return [
            "compared": count(compared), "same": count(same), "outcome": count(counts[.outcome] ?? 0),
            "reasons": count(counts[.reasons] ?? 0), "content": count(counts[.content] ?? 0),
            "transitions": .list(
                sortedTransitions.map {
                    ["a": .text($0.a.name), "b": .text($0.b.name), "count": count($0.count)]
                }),
            "first": .list(first.map(\.value)), "rows": count(rows.count),
            "biggest": .list(sortedRows.prefix(Self.mostListed).map(\.value)),
        ]
    }
}

extension Judgement.Outcome? {
    /// `none` for a side that had no such candidate.
    var name: String { self?.name ?? "none" }
}

extension Differences.Row.Key {
    /// One order for rows that are as frequent.
    fileprivate var order: String {
        [campaign, trigger ?? "", a.name, b.name, by?.side ?? "", by?.entry ?? "", by?.code ?? ""].joined(
            separator: "\0")
    }
}

extension Differences.Row {
    fileprivate var value: Value {
        var fields: Fields = ["campaign": .text(key.campaign)]
        fields["trigger"] = key.trigger.map { .text($0) }
        fields["a"] = .text(key.a.name)
        fields["b"] = .text(key.b.name)
        fields["by"] = key.by.map {
            ["side": .text($0.side), "entry": .text($0.entry), "code": .text($0.code)]
        }
        fields["count"] = .integer(Int64(count))
        fields["samples"] = .list(samples.map(\.value))
        return .map(fields)
    }
}

extension Differences.Difference {
    fileprivate var value: Value {
        var fields: Fields = ["kind": .text(kind.rawValue)]
        fields["line"] = either.line.map { .integer(Int64($0)) }
        fields["subject"] = .text(either.decision.subject)
        fields["time"] = .text(either.decision.time.description)
        fields["campaign"] = .text(either.origin.campaign)
        fields["trigger"] = either.origin.trigger.map { .text($0) }
        fields["region"] = either.origin.region.map { .text($0) }
        fields["a"] = Judgement.value(a)
        fields["b"] = Judgement.value(b)
        return .map(fields)
    }
}

extension Judgement {
    fileprivate static func value(_ judgement: Judgement?) -> Value {
        var fields: Fields = ["outcome": .text((judgement?.outcome).name)]
        guard let judgement else { return .map(fields) }
        switch judgement.decision.body {
        case .created(let created):
            fields["notification"] = .text(created.notification)
            fields["title"] = created.content.title.map { .text($0) }
            fields["message"] = created.content.message.map { .text($0) }
        case .deleted(let notification, _), .kept(let notification, _, _): fields["notification"] = .text(notification)
        default: break
        }
        fields["until"] = judgement.until.map { .text($0.description) }
        if !judgement.reasons.isEmpty { fields["reasons"] = .list(judgement.reasons.map(\.value)) }
        if !judgement.observed.isEmpty { fields["observed"] = .list(judgement.observed.map(\.value)) }
        return .map(fields)
    }
}
