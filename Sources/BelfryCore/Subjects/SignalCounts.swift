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
    /// Calls of plugins that failed.
    public package(set) var faults: [FaultKind: Int] = [:]
    /// What each silence swallowed, by its id.
    public package(set) var silenced: [String: Effects.Swallowed] = [:]
    /// By the index of their kind.
    private var kinds = [Int](repeating: 0, count: Decision.Kind.allCases.count)

    /// How many decisions there are, by type.
    public var decisions: [String: Int] {
        Dictionary(
            uniqueKeysWithValues: Decision.Kind.allCases.filter { kinds[$0.index] > 0 }.map {
                ($0.rawValue, kinds[$0.index])
            })
    }

    /// An entry of the chain, and why calls of it failed.
    public struct FaultKind: Sendable, Hashable {
        public var entry: String
        public var cause: Decision.FaultCause

        package init(entry: String, cause: Decision.FaultCause) { (self.entry, self.cause) = (entry, cause) }
    }

    package init() {}

    /// What `init(numbers:)` takes; a shard counts no lines and no rejects.
    package var numbers: [Int] { [processed, late, duplicates, timersFired] + kinds }

    /// Nil if there are not as many numbers as there should be.
    package init?(
        numbers: [Int], ignored: [Effects.Ignored: Int], faults: [FaultKind: Int], silenced: [String: Effects.Swallowed]
    ) {
        guard numbers.count == 4 + kinds.count else { return nil }
        (processed, late, duplicates, timersFired) = (numbers[0], numbers[1], numbers[2], numbers[3])
        kinds = Array(numbers.dropFirst(4))
        (self.ignored, self.faults, self.silenced) = (ignored, faults, silenced)
    }

    /// Counts what became of a signal that was processed.
    package mutating func add(_ progress: Engine.Progress) {
        processed += 1
        if progress.isLate { late += 1 }
        timersFired += progress.timersFired
    }

    package mutating func count(_ effects: borrowing Effects) {
        if !effects.ignored.isEmpty { ignored.merge(effects.ignored, uniquingKeysWith: +) }
        if !effects.silenced.isEmpty { add(effects.silenced) }
        for index in 0..<effects.count {
            let kind = effects.kind(of: index)
            kinds[kind.index] += 1
            if kind == .faulted { countFault(effects.decision(index)) }
        }
    }

    private mutating func countFault(_ decision: Decision) {
        guard case .faulted(let fault) = decision.body else { return }
        faults[FaultKind(entry: fault.strategy, cause: fault.cause), default: 0] += 1
    }

    private mutating func add(_ silenced: [String: Effects.Swallowed]) {
        for (id, swallowed) in silenced { self.silenced[id, default: Effects.Swallowed()] += swallowed }
    }

    /// Adds what another shard did.
    package mutating func add(_ other: SignalCounts) {
        lines += other.lines
        processed += other.processed
        late += other.late
        duplicates += other.duplicates
        timersFired += other.timersFired
        ignored.merge(other.ignored, uniquingKeysWith: +)
        if !other.faults.isEmpty { faults.merge(other.faults, uniquingKeysWith: +) }
        add(other.silenced)
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
        text += silenced.sorted { $0.key < $1.key }.map {
            "  silenced by '\($0.key)': \($0.value.count), last at \($0.value.last)"
        }
        if timersFired > 0 { text.append("timers fired: \(timersFired)") }
        text.append("decisions: \(decisions.values.reduce(0, +))")
        text += decisions.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)" }
        return text
            + faultsByEntry.map { entry, causes in
                "faults of '\(entry)': " + causes.map { "\($0.count) \($0.cause.rawValue)" }.joined(separator: ", ")
            }
    }

    private var faultsByEntry: [(entry: String, causes: [(cause: Decision.FaultCause, count: Int)])] {
        Dictionary(grouping: faults, by: \.key.entry).sorted { $0.key < $1.key }.map { entry, found in
            (entry, found.map { ($0.key.cause, $0.value) }.sorted { $0.cause.rawValue < $1.cause.rawValue })
        }
    }

    /// For machines.
    package var fields: Fields {
        func counts(_ pairs: some Sequence<(String, Int)>) -> Value {
            .map(Fields(pairs.sorted { $0.0 < $1.0 }.map { ($0.0, .integer(Int64($0.1))) }))
        }
        var fields = Fields([
            ("lines", .integer(Int64(lines))), ("processed", .integer(Int64(processed))),
            ("late", .integer(Int64(late))), ("duplicates", .integer(Int64(duplicates))),
            ("rejected", counts(rejected.map { ($0.key.rawValue, $0.value) })),
            ("ignored", counts(ignored.map { ($0.key.rawValue, $0.value) })),
            ("silenced", counts(silenced.map { ($0.key, $0.value.count) })),
            ("timersFired", .integer(Int64(timersFired))), ("decisions", counts(decisions.map { ($0.key, $0.value) })),
        ])
        if !faults.isEmpty {
            fields["faults"] = .map(
                Fields(
                    faultsByEntry.map { entry, causes in
                        (entry, counts(causes.map { ($0.cause.rawValue, $0.count) }))
                    }))
        }
        return fields
    }
}
