import BelfryModel
import CBelfry

/// Asks the strategies about one candidate, combines their verdicts, and tells them the outcome (docs/chain.md).
///
/// The same code decides, explains, simulates and is tested: it reads the record, and only `tell` lets strategies write to it.
/// What was answered is in the scope, until that is used for another candidate.
struct Chain {
    let catalog: Catalog
    let scope: CallScope
    let record: SubjectRecord
    let candidate: Candidate
    /// Told of entries that are not asked, and why. Nil where nobody wants to know.
    var listener: ((EntryPlan, GroupPlan?, Absence) -> Void)?

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

    /// Asks every entry that applies, in order. An allow of a `sufficient` one ends the asking.
    func ask(_ question: Question) {
        scope.answers.removeAll()
        let plan = candidate.trigger.steps(in: candidate.region)
        let steps = UnsafeBufferPointer(plan.steps)
        var first = 0
        for (index, step) in steps.enumerated() {
            if step.isFirst { first = scope.answers.count }
            forApplication(of: step) { take(step, under: $0, question) }
            guard step.isLast, step.control == .sufficient, scope.answers.allow(from: first) else { continue }
            for later in steps[(index + 1)...] where later.isFirst { listener?(later.entry, nil, .allowed) }
            break
        }
        withExtendedLifetime(plan) {}
    }

    /// Calls `body` with the key of the counter if the step applies to the candidate: not if it is off, has no parameters here,
    /// its `when` does not hold, or the candidate lacks what it counts by.
    @inline(__always)
    func forApplication(of step: ChainStep, _ body: (CounterKey) -> Void) {
        if let absence = step.absence { return miss(step, absence) }
        guard let counter = counter(of: step) else { return miss(step, .uncounted) }
        if step.isConditional, !wanted(step.entry) { return miss(step, .unwanted) }
        body(counter)
    }

    private func miss(_ step: ChainStep, _ absence: Absence) {
        listener?(step.entry, step.group?.takeUnretainedValue(), absence)
    }

    private func wanted(_ entry: EntryPlan) -> Bool {
        guard let condition = entry.entry.when else { return true }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: scope.segment, hasBareAttributes: false))
    }

    /// Nil if the candidate has nothing of the kind.
    private func counter(of step: ChainStep) -> CounterKey? {
        switch step.counter {
        case .fixed(let key): key
        case .channel: candidate.channel.map { scope.key($0) }
        case .region: candidate.region.map { CounterKey($0.id) }
        case .data: candidate.data(at: step.entry.dataPath[...])?.counterKey.map { scope.key($0) }
        }
    }

    private func take(_ step: ChainStep, under counter: CounterKey, _ question: Question) {
        if let table = step.strategy { return take(step, table, counter, question) }
        guard question == .creation else { return }
        if candidate.isLandingPage { return miss(step, .landingPage) }
        if scope.answers.haveCountingDenial { return miss(step, .denied) }
        apply(step, counter)
    }

    private func take(
        _ step: ChainStep, _ table: UnsafePointer<belfry_strategy>, _ counter: CounterKey, _ question: Question
    ) {
        var answer = Answer(step, counter)
        // One that remembers nothing needs no place.
        if table.pointee.state_size > 0 {
            do {
                let slot = try record.liveSlot(of: step.entry, table, counter: counter, scope)
                (answer.slot, answer.state) = (slot, record.slots[slot].memory)
            } catch {
                answer.fail(error.message, in: scope.arena)
                return scope.answers.append(answer)
            }
        }
        answer.isTold = true
        let check = question == .creation ? table.pointee.should_create : table.pointee.should_delete
        let verdict = check?(
            step.pointer, answer.state, scope.cCandidate(counter: counter), scope.cContext, scope.reason.begin())
        answer.take(verdict ?? BELFRY_ABSTAIN, scope)
        scope.answers.append(answer)
    }

    /// Tells every entry that was asked what came of it.
    func tell(_ question: Question, happened: Bool) {
        for index in 0..<scope.answers.count {
            let answer = scope.answers[index]
            guard answer.isTold, let table = answer.table else { continue }
            let hook = question == .creation ? table.pointee.did_create : table.pointee.did_delete
            hook?(
                answer.instance, answer.state, scope.cCandidate(counter: answer.counterKey), happened ? 1 : 0,
                scope.cContext)
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
