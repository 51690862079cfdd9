import BelfryJournal
import BelfryModel
import BelfryRuntime
import Synchronization

/// What each silence has swallowed, as far back as the journal is kept.
final class SilenceCounts: Sendable {
    struct Count: Sendable {
        var count = 0
        var last = ""
    }

    fileprivate struct State {
        var reader: DecisionReader?
        /// The journal that it reads.
        var journal: ObjectIdentifier?
        var counts: [String: Count] = [:]
    }

    private let state = Mutex(State())

    /// By the ids of silences, up to the last decision.
    func counts(in journal: Journal) throws -> [String: Count] {
        try state.withLock { state in
            if state.journal != ObjectIdentifier(journal) || state.reader?.hasLost == true {
                state = State(journal: ObjectIdentifier(journal))
                state.reader = try DecisionReader(journal, after: journal.cursor(0))
            }
            while let item = try state.reader?.next() { state.note(item.line) }
            return state.counts
        }
    }
}

extension SilenceCounts.State {
    fileprivate mutating func note(_ line: [UInt8]) {
        guard line.firstRange(of: Array(#""code":"silenced""#.utf8)) != nil, let decision = Value(json: line[...])?.map
        else { return }
        for reason in decision["data"]?.map?["reasons"]?.list ?? [] {
            guard let id = reason.map?["silence"]?.text else { continue }
            counts[id, default: SilenceCounts.Count()].count += 1
            counts[id]?.last = decision["time"]?.text ?? ""
        }
    }
}
