import BelfryModel

/// What came of a replay.
public struct TraceComparison {
    /// Lines of input in the trace.
    public internal(set) var signals = 0
    /// Decisions in the trace.
    public internal(set) var decisions = 0
    /// Decisions that are in one and not in the other, or not the same.
    public internal(set) var differing = 0
    var first: [Difference] = []
    var isSameConfiguration = false
    /// Whether the run it is of came to its end.
    var isWhole = false

    struct Difference {
        /// Of the input; nil after its end.
        let line: Int?
        let traced: Value?
        let replayed: Value?
    }

    public var isSame: Bool { differing == 0 }

    /// For people.
    public var description: String {
        var lines = [
            isSame
                ? "the same \(decisions) decisions, from \(signals) signals"
                : "not the same: \(differing) decisions differ; the trace has \(decisions), from \(signals) signals"
        ]
        if !isSameConfiguration { lines.append("the configuration or a plugin is not that of the trace") }
        if !isWhole { lines.append("the trace has no end: its run was stopped or killed") }
        return (lines + first.map(\.description)).joined(separator: "\n")
    }

    /// For machines.
    public var value: Value {
        [
            "signals": .integer(Int64(signals)), "decisions": .integer(Int64(decisions)),
            "differing": .integer(Int64(differing)), "sameConfiguration": .bool(isSameConfiguration),
            "whole": .bool(isWhole), "first": .list(first.map(\.value)),
        ]
    }
}

extension TraceComparison.Difference {
    fileprivate var description: String {
        """
          \(line.map { "line \($0) of the input" } ?? "after the input")
            trace   \(traced?.json ?? "nothing")
            replay  \(replayed?.json ?? "nothing")
        """
    }

    fileprivate var value: Value {
        var fields = Fields()
        fields["line"] = line.map { .integer(Int64($0)) }
        fields["trace"] = traced
        fields["replay"] = replayed
        return .map(fields)
    }
}
