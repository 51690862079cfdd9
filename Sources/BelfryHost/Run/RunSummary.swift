import BelfryEngine
import BelfryModel

/// What a run did, in numbers.
public struct RunSummary: Sendable {
    /// Lines of input that were not blank.
    public internal(set) var lines = 0
    public internal(set) var processed = 0
    /// Processed at the subject's latest time, because their own was before it.
    public internal(set) var late = 0
    /// Seen before, and so ignored.
    public internal(set) var duplicates = 0
    public internal(set) var rejected: [SignalReject.Code: Int] = [:]
    public internal(set) var timersFired = 0
    public internal(set) var ignored: [Effects.Ignored: Int] = [:]
    /// By type.
    public internal(set) var decisions: [String: Int] = [:]

    /// Decisions of an earlier run that was ended before it could hand them out, or say that it had.
    public internal(set) var handedOutAgain = 0
    /// Nil where nothing is forwarded.
    public var forwarding: ForwardStatus?
    /// What ended the run before its input did.
    public internal(set) var stoppedBy: String?

    /// Counts what became of a signal that was processed.
    mutating func add(_ progress: Engine.Progress) {
        processed += 1
        if progress.isLate { late += 1 }
        timersFired += progress.timersFired
    }

    mutating func count(_ effects: Effects) {
        if !effects.ignored.isEmpty { ignored.merge(effects.ignored, uniquingKeysWith: +) }
        var counts = [Int](repeating: 0, count: Decision.Kind.allCases.count)
        for index in 0..<effects.count { counts[effects.kind(of: index).index] += 1 }
        for kind in Decision.Kind.allCases where counts[kind.index] > 0 {
            decisions[kind.rawValue, default: 0] += counts[kind.index]
        }
    }

    /// Adds what another shard did.
    mutating func add(_ other: RunSummary) {
        lines += other.lines
        processed += other.processed
        late += other.late
        duplicates += other.duplicates
        timersFired += other.timersFired
        ignored.merge(other.ignored, uniquingKeysWith: +)
        decisions.merge(other.decisions, uniquingKeysWith: +)
        rejected.merge(other.rejected, uniquingKeysWith: +)
    }

    public var rejects: Int { rejected.values.reduce(0, +) }

    /// For people, on one screen.
    public var description: String {
        var lines = [
            "\(self.lines) signals: \(processed) processed, \(duplicates) duplicates, \(rejects) rejected; \(late) were late"
        ]
        lines += SignalReject.Code.allCases.compactMap { code in
            rejected[code].map { "  rejected as \(code.rawValue): \($0)" }
        }
        lines += Effects.Ignored.allCases.compactMap { what in ignored[what].map { "  ignored \(what.rawValue): \($0)" }
        }
        if timersFired > 0 { lines.append("timers fired: \(timersFired)") }
        lines.append("decisions: \(decisions.values.reduce(0, +))")
        lines += decisions.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        if handedOutAgain > 0 { lines.append("handed out for a run that was interrupted: \(handedOutAgain)") }
        if let forwarding { lines.append(forwarding.description) }
        if let stoppedBy { lines.append("stopped by \(stoppedBy); run again to go on") }
        return lines.joined(separator: "\n")
    }

    /// For machines.
    public var value: Value {
        func counts(_ pairs: some Sequence<(String, Int)>) -> Value {
            .map(Fields(pairs.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
        }
        var fields = Fields([
            ("lines", .integer(Int64(lines))), ("processed", .integer(Int64(processed))),
            ("late", .integer(Int64(late))), ("duplicates", .integer(Int64(duplicates))),
            ("rejected", counts(rejected.map { ($0.key.rawValue, $0.value) })),
            ("ignored", counts(ignored.map { ($0.key.rawValue, $0.value) })),
            ("timersFired", .integer(Int64(timersFired))), ("decisions", counts(decisions.map { ($0.key, $0.value) })),
        ])
        if handedOutAgain > 0 { fields["handedOutAgain"] = .integer(Int64(handedOutAgain)) }
        fields["forwarding"] = forwarding?.value
        fields["stoppedBy"] = stoppedBy.map { .text($0) }
        return .map(fields)
    }
}
