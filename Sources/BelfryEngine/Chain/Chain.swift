import BelfryModel
import CBelfry

/// Asks the strategies about one candidate, combines their verdicts, and tells them the outcome (docs/chain.md).
///
/// The same code decides, explains, simulates and is tested: it reads the record, and only `tell` lets strategies write to it.
/// What was answered is in the scope, until that is used for another candidate.
struct Chain {
    let scope: CallScope
    let record: SubjectRecord
    let candidate: Candidate
    /// Who was not asked, and why; nil where nobody wants to know.
    var notes: ChainNotes?

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
        var first = 0
        for step in candidate.steps.places {
            if step.pointee.isFirst { first = scope.answers.count }
            forApplication(of: step) { take(step, under: $0, question) }
            guard step.pointee.isLast, step.pointee.control == .sufficient, scope.answers.allow(from: first) else {
                continue
            }
            return passOver(after: step)
        }
    }

    private func passOver(after step: UnsafePointer<ChainStep>) {
        for later in candidate.steps.places where later > step && later.pointee.isFirst {
            notes?.take(later.pointee.entry, nil, .allowed)
        }
    }

    /// Calls `body` with the key of the counter if the step applies to the candidate: not if it is off, has no parameters here,
    /// its `when` does not hold, or the candidate lacks what it counts by.
    @inline(__always)
    func forApplication(of step: UnsafePointer<ChainStep>, _ body: (CounterKey) -> Void) {
        if let absence = step.pointee.absence { return miss(step, absence) }
        guard let counter = counter(of: step) else { return miss(step, .uncounted) }
        if step.pointee.isConditional, !wanted(step.pointee.entry) { return miss(step, .unwanted) }
        body(counter)
    }

    private func miss(_ step: UnsafePointer<ChainStep>, _ absence: Absence) {
        notes?.take(step.pointee.entry, step.pointee.group?.takeUnretainedValue(), absence)
    }

    private func wanted(_ entry: EntryPlan) -> Bool {
        guard let condition = entry.entry.when else { return true }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: scope.segment, hasBareAttributes: false))
    }

    /// Nil if the candidate has nothing of the kind.
    @inline(__always)
    private func counter(of step: UnsafePointer<ChainStep>) -> CounterKey? {
        switch step.pointee.counter {
        case .fixed(let key): key
        case .channel: candidate.channel.map { scope.key($0) }
        case .region: candidate.region.map { CounterKey($0.id) }
        case .data: candidate.data(at: step.pointee.entry.dataPath[...])?.counterKey.map { scope.key($0) }
        }
    }

    @inline(__always)
    private func take(_ step: UnsafePointer<ChainStep>, under counter: CounterKey, _ question: Question) {
        if let table = step.pointee.strategy { return take(step, table, counter, question) }
        guard question == .creation else { return }
        if candidate.isLandingPage { return miss(step, .landingPage) }
        if scope.answers.haveCountingDenial { return miss(step, .denied) }
        apply(step, counter)
    }

    private func take(
        _ step: UnsafePointer<ChainStep>, _ table: UnsafePointer<belfry_strategy>, _ counter: CounterKey,
        _ question: Question
    ) {
        let answer = scope.answers.add(step, counter)
        // One that remembers nothing needs no place.
        if step.pointee.keepsState, !findState(for: answer, table) { return }
        answer.pointee.isTold = true
        guard let check = question == .creation ? table.pointee.should_create : table.pointee.should_delete else {
            return
        }
        let verdict = check(
            step.pointee.pointer, answer.pointee.state, scope.cCandidate(counter: counter), scope.cContext,
            scope.reason.begin())
        answer.pointee.take(verdict, scope)
    }

    /// - Returns: false, with a fault in the answer, if the state cannot be used.
    @inline(__always)
    private func findState(for answer: UnsafeMutablePointer<Answer>, _ table: UnsafePointer<belfry_strategy>) -> Bool {
        answer.pointee.step.pointee.plan._withUnsafeGuaranteedRef { plan in
            do throws(LiveState.Unusable) {
                let slot = try record.liveSlot(of: plan, table, counter: answer.pointee.counterKey, scope)
                (answer.pointee.slot, answer.pointee.state) = (slot, record.states[slot].memory)
                return true
            } catch {
                answer.pointee.fail(error.message, in: scope.arena)
                return false
            }
        }
    }

    /// Tells every entry that was asked what came of it.
    func tell(_ question: Question, happened: Bool) {
        let happened: belfry_bool = happened ? 1 : 0
        for answer in scope.answers where answer.isTold {
            guard let table = answer.step.pointee.strategy else { continue }
            let hook = question == .creation ? table.pointee.did_create : table.pointee.did_delete
            hook?(
                answer.step.pointee.pointer, answer.state, scope.cCandidate(counter: answer.counterKey), happened,
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
