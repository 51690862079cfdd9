import BelfryModel

/// How the chain was asked about one candidate, and what it answered: more than the decision that came of it says.
///
/// Read it during the call that gives it: what the strategies remember is as it was when they were asked.
public struct Testimony {
    public enum Question: String, Sendable {
        case creation, deletion
    }

    public let question: Question
    /// Which of the decisions in the effects comes of it: their number so far.
    public let decision: Int
    fileprivate let notes: ChainNotes
    fileprivate let answers: Answers
    fileprivate let record: SubjectRecord

    /// What was said, by the index of the entry in the chain, once for each counter.
    public var verdicts: some Sequence<(entry: Int, verdict: Verdict)> {
        answers.lazy.map { (entry: $0.entry.index, verdict: $0.verdict) }
    }

    /// Who was not asked, and why, in a word.
    public var absences: some Sequence<(entry: Int, why: String)> {
        notes.absences.lazy.map { (entry: $0.entry.index, why: $0.why.rawValue) }
    }

    /// All of it, as `explain` tells it.
    public var entries: [Explanation.Entry] { notes.entries(with: answers, record) }
}

extension Engine {
    /// Where there is a witness, notes for what the chain will be asked.
    func notes(on candidate: Candidate) -> ChainNotes? {
        witness == nil ? nil : ChainNotes(candidate, catalog)
    }

    /// Tells the witness, before the strategies are told what came of it.
    @inline(never)
    func testify(
        _ notes: ChainNotes?, _ question: Testimony.Question, _ moment: Moment, _ effects: Effects
    ) {
        guard let notes, let witness else { return }
        witness(
            Testimony(
                question: question, decision: effects.count, notes: notes, answers: scope.answers,
                record: moment.record))
    }
}
