import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryRuntime

extension Metrics {
    /// Counts what was committed.
    func count(_ note: CommitNote) {
        add(1, to: Self.commits)
        add(Double(note.counts.reduce(0) { $0 + $1.processed + $1.duplicates }), to: Self.batchSignals)
        if let deciding = note.deciding { add(deciding / .seconds(1), to: Self.batchSeconds, "decide") }
        add(note.committing / .seconds(1), to: Self.batchSeconds, "commit")
        for counts in note.counts { count(counts) }
        for count in note.candidates { add(count) }
        if note.counts.contains(where: { $0.decisions["experiment.exposed"] != nil }) {
            countExposures(note.decisions)
        }
        hold(note)
    }

    private func count(_ counts: SignalCounts) {
        if counts.late > 0 { add(counts.late, to: Self.late) }
        if counts.timersFired > 0 { add(counts.timersFired, to: Self.timers) }
        for (type, count) in counts.decisions { add(count, to: Self.decisions, type) }
        for (fault, count) in counts.faults { add(count, to: Self.faults, fault.entry, fault.cause.rawValue) }
        for (what, count) in counts.ignored { add(count, to: Self.ignored, what.rawValue) }
        for swallowed in counts.silenced.values { add(swallowed.count, to: Self.silenced) }
    }

    private func add(_ count: CandidateTally.Count) {
        switch count.what {
        case .outcome: add(count.count, to: Self.candidates, campaign(count.name), count.word)
        case .reason: add(count.count, to: Self.refusals, count.name, count.word)
        case .observed: add(count.count, to: Self.observed, count.name, count.word)
        }
    }

    private func countExposures(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let fields = Value(json: line)?.map, fields["type"]?.text == "experiment.exposed" else { continue }
            let data = fields["data"]?.map ?? [:]
            add(1, to: Self.exposures, data["experiment"]?.text ?? "", data["variant"]?.text ?? "")
        }
    }
}
