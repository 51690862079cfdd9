import BelfryModel
import CBelfry

/// Asks the strategies about one candidate (docs/chain.md).
///
/// The same code decides, explains, simulates and is tested: it reads the record, and only `tell` lets strategies write to it.
/// What was answered is in the scope, until that is used for another candidate.
enum Chain {
    /// Why an entry is not asked about a candidate.
    enum Absence: String {
        /// `enabled: false`.
        case disabled
        /// `off` in the cascade.
        case off
        /// It needs parameters and has none here.
        case unparameterized = "no-parameters"
        /// The candidate has nothing of the kind that it counts by.
        case uncounted = "no-counter"
        /// Its `when` does not hold.
        case unwanted = "when"
        /// A filter, of a landing page.
        case landingPage = "landing-page"
        /// A filter, after something was denied.
        case denied = "denied-before"
        /// A `sufficient` entry before it allowed.
        case allowed = "allowed-before"
    }

    enum Question {
        case creation, deletion
    }
}

// The candidate, the record and the notes are handed from function to function: what an object or a struct keeps is counted. What is
// rare is apart (`inline(never)`), so that what is not can stay in registers.

extension CallScope {
    /// Asks every entry that applies, in order. An allow of a `sufficient` one ends the asking.
    ///
    /// - Parameter notes: of who was not asked, and why; nil where nobody wants to know.
    func ask(
        _ question: Chain.Question, about candidate: Candidate, _ record: SubjectRecord, _ notes: ChainNotes? = nil
    ) {
        answers.removeAll()
        for step in candidate.steps.places {
            forApplication(of: step, to: candidate, notes) { counter in
                take(step, under: counter, question, candidate, record, notes)
            }
            if step.pointee.mayEnd, answers.allow(step.pointee.plan) {
                return passOver(after: step, of: candidate, notes)
            }
        }
    }

    @inline(never)
    private func passOver(after step: UnsafePointer<ChainStep>, of candidate: Candidate, _ notes: ChainNotes?) {
        for later in candidate.steps.places where later > step && later.pointee.isFirst {
            notes?.take(later.pointee.entry, nil, .allowed)
        }
    }

    /// Calls `body` with the key of the counter if the step applies to the candidate: not if it is off, has no parameters here,
    /// its `when` does not hold, or the candidate lacks what it counts by.
    @inline(__always)
    func forApplication(
        of step: UnsafePointer<ChainStep>, to candidate: Candidate, _ notes: ChainNotes? = nil,
        _ body: (UnsafePointer<CounterKey>) -> Void
    ) {
        if let absence = step.pointee.absence { return miss(step, absence, notes) }
        guard let counter = counter(of: step, candidate) else { return miss(step, .uncounted, notes) }
        if step.pointee.isConditional, !wants(step.pointee.entry, candidate) { return miss(step, .unwanted, notes) }
        body(counter)
    }

    @inline(never)
    private func miss(_ step: UnsafePointer<ChainStep>, _ absence: Chain.Absence, _ notes: ChainNotes?) {
        notes?.take(step.pointee.entry, step.pointee.group?.takeUnretainedValue(), absence)
    }

    @inline(never)
    private func wants(_ entry: EntryPlan, _ candidate: Candidate) -> Bool {
        guard let condition = entry.entry.when else { return true }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: segment, hasBareAttributes: false))
    }

    /// Nil if the candidate has nothing of the kind.
    @inline(__always)
    private func counter(of step: UnsafePointer<ChainStep>, _ candidate: Candidate) -> UnsafePointer<CounterKey>? {
        switch step.pointee.counter {
        case .subject: subjectKey
        case .campaign: candidate.campaignKey
        default: rareCounter(of: step, candidate)
        }
    }

    @inline(never)
    private func rareCounter(
        of step: UnsafePointer<ChainStep>, _ candidate: Candidate
    ) -> UnsafePointer<CounterKey>? {
        switch step.pointee.counter {
        case .subject, .campaign: nil  // not rare
        case .trigger: candidate.triggerKey
        case .group: step.pointee.group?.takeUnretainedValue().id.key
        case .channel: candidate.channel.map { key($0) }
        case .region: candidate.region?.id.key
        case .data: candidate.data(at: step.pointee.entry.dataPath[...])?.counterKey.map { key($0) }
        }
    }

    @inline(__always)
    private func take(
        _ step: UnsafePointer<ChainStep>, under counter: UnsafePointer<CounterKey>, _ question: Chain.Question,
        _ candidate: Candidate, _ record: SubjectRecord, _ notes: ChainNotes?
    ) {
        if let table = step.pointee.strategy { return take(step, table, counter, question, record) }
        takeFilter(step, under: counter, question, candidate, notes)
    }

    @inline(never)
    private func takeFilter(
        _ step: UnsafePointer<ChainStep>, under counter: UnsafePointer<CounterKey>, _ question: Chain.Question,
        _ candidate: Candidate, _ notes: ChainNotes?
    ) {
        guard question == .creation else { return }
        if candidate.isLandingPage { return miss(step, .landingPage, notes) }
        if answers.haveCountingDenial { return miss(step, .denied, notes) }
        apply(step, counter, to: candidate)
    }

    @inline(__always)
    private func take(
        _ step: UnsafePointer<ChainStep>, _ table: UnsafePointer<belfry_strategy>, _ counter: UnsafePointer<CounterKey>,
        _ question: Chain.Question, _ record: SubjectRecord
    ) {
        let answer = answers.add(step, counter)
        // One that remembers nothing needs no place.
        if step.pointee.keepsState, !findState(for: answer, table, record) { return answers.noteDenial(answer) }
        answer.pointee.isTold = true
        guard let check = question == .creation ? table.pointee.should_create : table.pointee.should_delete else {
            return
        }
        let verdict = check(
            step.pointee.pointer, answer.pointee.state, cCandidate(counter: counter), cContext,
            reason.begin(into: answer.said))
        answer.pointee.take(verdict, self)
        if answer.pointee.isDenial { answers.noteDenial(answer) }
    }

    /// - Returns: false, with a fault in the answer, if the state cannot be used.
    @inline(__always)
    func findState(
        for answer: UnsafeMutablePointer<Answer>, _ table: UnsafePointer<belfry_strategy>, _ record: SubjectRecord
    ) -> Bool {
        answer.pointee.step.pointee.plan._withUnsafeGuaranteedRef { plan in
            do throws(LiveState.Unusable) {
                answer.keep(try record.liveSlot(of: plan, table, counter: answer.pointee.key, self))
                return true
            } catch {
                answer.pointee.fail(error.message, in: texts)
                return false
            }
        }
    }

    /// Tells every entry that was asked what came of it.
    func tell(_ question: Chain.Question, happened: Bool) {
        let happened: belfry_bool = happened ? 1 : 0
        for answer in answers.places where answer.pointee.isTold {
            let step = answer.pointee.step
            guard let table = step.pointee.strategy,
                let hook = question == .creation ? table.pointee.did_create : table.pointee.did_delete
            else { continue }
            hook(step.pointee.pointer, answer.pointee.state, cCandidate(of: answer), happened, cContext)
        }
    }
}

extension Value {
    /// The value as the key of a counter; nothing that is null, a list or a mapping counts.
    fileprivate var counterKey: String? {
        switch self {
        case .text(let text): text
        case .bool, .integer, .number: json
        case .null, .list, .map: nil
        }
    }
}
