import BelfryModel

/// How the chain was asked about one candidate, and what it answered: more than the decision that came of it says.
///
/// Read it during the call that shows it: states are as they were when the strategies were asked.
public struct ChainEvaluation {
    public let question: Question
    /// Which of the decisions in the effects comes of it: their number so far.
    public let decision: Int
    private let skipped: SkippedEntries
    private let engine: Engine

    init(_ question: Question, decision: Int, _ skipped: SkippedEntries, _ engine: Engine) {
        (self.question, self.decision, self.skipped, self.engine) = (question, decision, skipped, engine)
    }

    /// What was said, by the index of the entry in the chain, once for each counter.
    public var verdicts: [(entry: Int, verdict: Verdict)] {
        engine.scope.answers.map { (entry: $0.entry.index, verdict: $0.verdict) }
    }

    /// The entries that were not asked, and why, in a word.
    public var skips: [(entry: Int, why: String)] {
        skipped.all.map { (entry: $0.entry.index, why: $0.why.rawValue) }
    }

    /// All of it, as `explain` tells it.
    public var entries: [Explanation.Entry] { engine.entries(skipped) }
}

/// The entries of a chain that were not asked.
final class SkippedEntries {
    private(set) var all: [(entry: EntryPlan, group: GroupPlan?, why: SkipReason)] = []

    func note(_ entry: EntryPlan, _ group: GroupPlan?, _ why: SkipReason) { all.append((entry, group, why)) }
}

extension Engine {
    /// Shows the observer how the chain was asked, before the strategies are told what came of it.
    @inline(never)
    func show(_ question: Question, _ skipped: SkippedEntries, _ effects: borrowing Effects) {
        observer?(ChainEvaluation(question, decision: effects.count, skipped, self))
    }
}
