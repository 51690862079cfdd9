import BelfryEngine
import BelfryModel
import BelfrySignals

/// What became of signals, in numbers.
public struct SignalCounts: Sendable {
    /// Lines of input that were not blank.
    public package(set) var lines = 0
    public package(set) var processed = 0
    /// Processed at the subject's latest time, because their own was before it.
    public package(set) var late = 0
    /// Seen before, and so ignored.
    public package(set) var duplicates = 0
    public package(set) var rejected: [SignalReject.Code: Int] = [:]
    public package(set) var timersFired = 0
    public package(set) var ignored: [Effects.Ignored: Int] = [:]
    /// By the index of their kind.
    private var kinds = [Int](repeating: 0, count: Decision.Kind.allCases.count)

    /// How many decisions there are, by type.
    public var decisions: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: Decision.Kind.allCases.filter { kinds[$0.index] > 0 }.map {
                ($0.rawValue, kinds[$0.index])
            })
    }

    package init() {}

    /// Counts what became of a signal that was processed.
    package mutating func add(_ progress: Engine.Progress) {
        processed += 1
        if progress.isLate { late += 1 }
        timersFired += progress.timersFired
    }

    package mutating func count(_ effects: borrowing Effects) {
        if !effects.ignored.isEmpty { ignored.merge(effects.ignored, uniquingKeysWith: +) }
        for index in 0..<effects.count { kinds[effects.kind(of: index).index] += 1 }
    }

    /// Adds what another shard did.
    package mutating func add(_ other: SignalCounts) {
        lines += other.lines
        processed += other.processed
        late += other.late
        duplicates += other.duplicates
        timersFired += other.timersFired
        ignored.merge(other.ignored, uniquingKeysWith: +)
        for kind in kinds.indices { kinds[kind] += other.kinds[kind] }
        rejected.merge(other.rejected, uniquingKeysWith: +)
    }

    public var rejects: Int { rejected.values.reduce(0, +) }

    /// For people, a line each.
    package var text: [String] {
        var text = [
            "\(lines) signals: \(processed) processed, \(duplicates) duplicates, \(rejects) rejected; \(late) were late"
        ]
        text += SignalReject.Code.allCases.compactMap { code in
            rejected[code].map { "  rejected as \(code.rawValue): \($0)" }
        }
        text += Effects.Ignored.allCases.compactMap { what in ignored[what].map { "  ignored \(what.rawValue): \($0)" }
        }
        if timersFired > 0 { text.append("timers fired: \(timersFired)") }
        text.append("decisions: \(decisions.values.reduce(0, +))")
        return text + decisions.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
    }

    /// For machines.
    package var fields: Fields {
        func counts(_ pairs: some Sequence<(String, Int)>) -> Value {
            .map(Fields(pairs.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
        }
        return Fields([
            ("lines", .integer(Int64(lines))), ("processed", .integer(Int64(processed))),
            ("late", .integer(Int64(late))), ("duplicates", .integer(Int64(duplicates))),
            ("rejected", counts(rejected.map { ($0.key.rawValue, $0.value) })),
            ("ignored", counts(ignored.map { ($0.key.rawValue, $0.value) })),
            ("timersFired", .integer(Int64(timersFired))), ("decisions", counts(decisions.map { ($0.key, $0.value) })),
        ])
    }
}
