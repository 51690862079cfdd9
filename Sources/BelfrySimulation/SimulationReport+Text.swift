import BelfryEngine
import BelfryModel

extension SimulationReport {
    /// For people, in tables.
    public var description: String {
        ([heading, totals, campaigns, groups, entries, times, people, days, waits] + biggest + first)
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static let mostRows = 15

    private var heading: String {
        var lines = ["\(lines) signals of \(file ?? "standard input")" + span]
        if sample != nil { lines.append("\(skipped) of them of subjects who are not in the sample") }
        let rejected = (a: a.signals.rejects, b: b.signals.rejects)
        if rejected.a > 0 || rejected.b > 0 {
            lines.append("rejected: \(rejected.a) by a, \(rejected.b) by b, \(rejects) of them by both")
        }
        return (lines + ["a: \(a.name)", "b: \(b.name)"]).joined(separator: "\n")
    }

    private var span: String {
        guard let start, let end else { return "" }
        return ", \(start) to \(end)"
    }

    // MARK: Counts

    private var totals: String {
        let rows = Judgement.Outcome.allCases.map { (name: $0.name, a: a.counts[$0], b: b.counts[$0]) }
        return table("", rows.filter { $0.a > 0 || $0.b > 0 })
    }

    private var campaigns: String {
        let ids = (a.catalog.configuration.campaigns + b.catalog.configuration.campaigns).map(\.id)
        return created("by campaign", ids) { side, id in side.campaigns[id] ?? OutcomeCounts() }
    }

    private var groups: String {
        let ids = (a.catalog.configuration.groups + b.catalog.configuration.groups).map(\.id)
        return created("by group", ids) { side, id in side.counts(inGroup: id) }
    }

    private func created(
        _ title: String, _ ids: [String], _ counts: (SimulationSide, String) -> OutcomeCounts
    ) -> String {
        table(
            "\(creations) \(title)",
            ids.withoutRepetition.map { ($0, counts(a, $0).creations, counts(b, $0).creations) })
    }

    /// What is counted where outcomes are not told apart.
    private var creations: String { a.counts[.fired] + b.counts[.fired] > 0 ? "created or fired" : "created" }

    /// What each entry of the chain spoke against; an observer never counts.
    private var entries: String {
        let ids = (a.entries + b.entries).map(\.entry.id).withoutRepetition
        var table = NumberTable(
            ["entry", "denied a", "b", "deferred a", "b", "alone a", "b", "observed a", "b"], numbers: 1...8)
        for id in ids {
            let funnels = [a, b].map { side in side.entries.first { $0.entry.id == id } }
            let numbers: [(EntryFunnel) -> Int] = [
                { $0.denied.total }, { $0.deferred.total }, { $0.alone }, { $0.observed.total },
            ]
            table.add([id] + numbers.flatMap { number in funnels.map { $0.map { String(number($0)) } ?? "-" } })
        }
        return table.isEmpty ? "" : table.text
    }

    /// Rows that changed most come first, where there are many.
    private func table(_ title: String, _ rows: [(name: String, a: Int, b: Int)]) -> String {
        var table = NumberTable([title, "a", "b", "change", ""], numbers: 1...4)
        let shown =
            rows.count <= Self.mostRows
            ? rows
            : Array(rows.sorted { abs($0.b - $0.a) > abs($1.b - $1.a) }.prefix(Self.mostRows))
        for row in shown {
            table.add([row.name, "\(row.a)", "\(row.b)", signed(row.b - row.a), percent(row.a, row.b)])
        }
        let rest = rows.count - shown.count
        return table.isEmpty ? "" : table.text + (rest > 0 ? "\n… and \(rest) more that changed less" : "")
    }

    private func signed(_ number: Int) -> String { number > 0 ? "+\(number)" : "\(number)" }

    private func percent(_ before: Int, _ after: Int) -> String {
        guard before > 0, after != before else { return "" }
        let tenths = Int((Double(after - before) / Double(before) * 1000).rounded())
        let text = "\(abs(tenths) / 10).\(abs(tenths) % 10) %"
        return (tenths < 0 ? "-" : "+") + text
    }

    // MARK: When

    private var times: String {
        var lines = ["\(creations) by hour (00-23 where the subject is) and by weekday (Monday to Sunday)"]
        for (name, side) in [("a", a), ("b", b)] {
            let hours = (0..<24).map { hour in side.counts { $0 % 24 == hour }.creations }
            let weekdays = (0..<7).map { day in side.counts { $0 / 24 == day }.creations }
            lines.append("  \(name)  \(hours.bars)  \(weekdays.bars)")
        }
        return lines.joined(separator: "\n")
    }

    // MARK: Whom

    private var people: String {
        let change = ledger.change()
        let same = change.seen - change.gain - change.lose
        return
            "\(change.seen) subjects: \(change.gain) get more notifications from b, \(change.lose) fewer, \(same) as many"
    }

    private var days: String {
        var table = NumberTable(
            ["notifications on a subject's day", "mean", "p50", "p90", "p99", "max", "days without"], numbers: 1...6)
        for (index, name) in ["a", "b"].enumerated() {
            let days = ledger.dayHistogram(of: index)
            let percentiles = [0.5, 0.9, 0.99].map { days.percentile($0) } + [days.largest]
            let share = days.total == 0 ? 0 : days.without * 100 / days.total
            table.add(
                ["  \(name)", days.mean.map(decimal) ?? "-"] + percentiles.map { $0.map { "\($0)" } ?? "-" } + [
                    "\(share) %"
                ])
        }
        return table.text
    }

    private func decimal(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }

    private var waits: String {
        var table = NumberTable(["from a refusal to its end", "p50", "p90", "p99"], numbers: 1...3)
        for (name, side) in [("a", a), ("b", b)] {
            table.add(["  \(name)"] + [0.5, 0.9, 0.99].map { side.waits.percentile($0)?.description ?? "-" })
        }
        return table.text
    }

    // MARK: Differences

    private var biggest: [String] {
        let counts = differences.counts
        var lines = ["decisions compared: \(differences.compared)", "  with another outcome: \(counts[.outcome] ?? 0)"]
        if let reasons = counts[.reasons] { lines.append("  refused by both, for other reasons: \(reasons)") }
        if let content = counts[.content] { lines.append("  created by both, with other content: \(content)") }
        let rows = differences.sortedRows
        var table = NumberTable(["count", "campaign", "trigger", "a", "b", "by"], numbers: 0...0)
        for row in rows.prefix(Self.mostRows) {
            let by = row.key.by.map { "\($0.entry)" + ($0.code == $0.entry ? "" : " (\($0.code))") } ?? ""
            table.add([
                "\(row.count)", row.key.campaign, row.key.trigger ?? "", row.key.a.name, row.key.b.name, by,
            ])
        }
        let rest = rows.count - min(rows.count, Self.mostRows)
        return [lines.joined(separator: "\n")]
            + (table.isEmpty ? [] : [table.text + (rest > 0 ? "\n… and \(rest) more" : "")])
    }

    private var first: [String] {
        guard !differences.first.isEmpty else { return [] }
        return ["the first that differ:\n" + differences.first.map(Self.lines).joined(separator: "\n")]
    }

    private static func lines(of difference: Differences.Difference) -> String {
        let origin = difference.either.origin
        let place = origin.region.map { " at \($0)" } ?? ""
        let line = difference.either.line.map { "line \($0): " } ?? ""
        let decision = difference.either.decision
        let heading = "  \(line)\(origin.campaign) for \(decision.subject)\(place), \(decision.time)"
        return ([heading] + text(of: difference.a, "a") + text(of: difference.b, "b")).joined(separator: "\n")
    }

    private static func text(of judgement: Judgement?, _ side: String) -> [String] {
        guard let judgement else { return ["    \(side)  no such candidate"] }
        let reasons = judgement.reasons.map {
            "\($0.strategy): \($0.message)" + ($0.until.map { ", until \($0)" } ?? "")
        }
        return ["    \(side)  \(judgement.outcome.name)" + (reasons.first.map { "  \($0)" } ?? "")]
            + reasons.dropFirst().map { "        and \($0)" }
    }
}

extension [Int] {
    /// As heights of characters: the largest is full, none is a dot.
    fileprivate var bars: String {
        let most = self.max() ?? 0
        let heights: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        var bars = ""
        for count in self { bars.append(count == 0 ? "·" : heights[count * 7 / most]) }
        return bars
    }
}

extension [String] {
    /// Each once, where it comes first.
    fileprivate var withoutRepetition: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
