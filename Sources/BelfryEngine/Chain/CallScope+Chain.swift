import BelfryModel
import CBelfry

// The one way through the chain: a run, explain, simulate, traces and tests all take it. What was answered is in the scope until that is
// used for another candidate. What is rare is apart (`inline(never)`), so that what is not can stay in registers.

extension CallScope {
    /// Asks every entry that applies about the candidate, in order. An allow of a `sufficient` one ends the asking.
    ///
    /// - Parameter skipped: takes note of the entries that are not asked; nil where nothing is to be explained.
    func ask(_ question: Question, _ skipped: SkippedEntries?) {
        answers.removeAll()
        if !digestTerms.isEmpty { digestTerms.removeAll(keepingCapacity: true) }
        self.question = question
        if end != nil { end = nil }
        arrangement = record.block.arrangement
        let isAssigned = candidate.assigned != nil
        if isAssigned { reached.removeAll(keepingCapacity: true) }
        for step in candidate.steps {
            if isAssigned { reached.append(isMet(step)) }
            if let counter = counter(ifAsked: step, question, skipped) { ask(step, counter, question) }
            if step.pointee.mayEnd, answers.allow(step.pointee.plan) { return skipRest(after: step, skipped) }
        }
    }

    @inline(__always)
    private func ask(
        _ step: UnsafePointer<ChainStep>, _ counter: UnsafePointer<CounterKey>, _ question: Question
    ) {
        guard let table = step.pointee.strategy else { return apply(step, counter) }
        let answer = answers.add(step, counter)
        var state: UnsafeMutableRawPointer?
        do throws(Fault) {
            if let states = step.pointee.states {
                answer.pointee.slot = slot(states, counter)
                state = try self.state(states, counter, answer.pointee.slot)
            }
            answer.pointee.isTold = true
            guard let hook = question == .creation ? table.pointee.should_create : table.pointee.should_delete else {
                return
            }
            try enter(step.pointee.entry, question.hooks.asking)
            let verdict = hook(
                step.pointee.instance, state, cCandidate(counter: counter), cContext, reason.begin(into: answer.said))
            leave()
            answer.pointee.take(verdict, self)
            if answer.pointee.isDenial { answers.noteDenial(answer) }
        } catch {
            fail(answer, error)
        }
    }

    @inline(never)
    private func fail(_ answer: UnsafeMutablePointer<Answer>, _ fault: Fault) {
        answer.pointee.fail(fault, in: texts)
        answers.noteDenial(answer)
    }

    /// The key of the counter that a step is asked under; nil if it does not apply: it is off, has no parameters here, its `when` does not
    /// hold, or the candidate lacks what it counts by.
    @inline(__always)
    private func counter(
        ifAsked step: UnsafePointer<ChainStep>, _ question: Question, _ skipped: SkippedEntries?
    ) -> UnsafePointer<CounterKey>? {
        step.pointee.isAlwaysAsked ? counter(of: step) : counter(ifApplicable: step, question, skipped)
    }

    @inline(never)
    private func counter(
        ifApplicable step: UnsafePointer<ChainStep>, _ question: Question, _ skipped: SkippedEntries?
    ) -> UnsafePointer<CounterKey>? {
        if let skip = step.pointee.skip { return note(step, skip, skipped) }
        guard let counter = counter(of: step) else { return note(step, .uncounted, skipped) }
        if step.pointee.isConditional, !isWanted(step) { return note(step, .conditionNotMet, skipped) }
        if step.pointee.strategy == nil, let skip = skipOfFilter(question) {
            return question == .creation ? note(step, skip, skipped) : nil
        }
        return counter
    }

    @inline(never)
    private func note(
        _ step: UnsafePointer<ChainStep>, _ skip: SkipReason, _ skipped: SkippedEntries?
    ) -> UnsafePointer<CounterKey>? {
        skipped?.note(step.pointee.plan.object, step.pointee.group?.object, skip)
        return nil
    }

    @inline(never)
    func isWanted(_ step: UnsafePointer<ChainStep>) -> Bool {
        guard let condition = step.pointee.plan.object.entry.when else { return true }
        return condition.holds(
            for: CandidateProperties(candidate: candidate, segment: segment, hasBareAttributes: false))
    }

    /// Filters see what will be created, and no landing page.
    @inline(never)
    private func skipOfFilter(_ question: Question) -> SkipReason? {
        if question == .deletion { return .deniedBefore }
        if candidate.isLandingPage { return .landingPage }
        return answers.haveCountingDenial ? .deniedBefore : nil
    }

    @inline(never)
    private func skipRest(after step: UnsafePointer<ChainStep>, _ skipped: SkippedEntries?) {
        end = step
        for later in candidate.steps where later > step && later.pointee.isFirst {
            _ = note(later, .allowedBefore, skipped)
        }
    }

    /// Nil if the candidate has nothing of the kind.
    @inline(__always)
    func counter(of step: UnsafePointer<ChainStep>) -> UnsafePointer<CounterKey>? {
        switch step.pointee.counter {
        case .subject: subjectKey
        case .campaign: candidate.trigger.with { $0.campaignKey.pointer }
        default: rareCounter(of: step)
        }
    }

    @inline(never)
    private func rareCounter(of step: UnsafePointer<ChainStep>) -> UnsafePointer<CounterKey>? {
        switch step.pointee.counter {
        case .subject, .campaign: nil  // not rare
        case .trigger: candidate.trigger.object.triggerKey?.pointer
        case .group: step.pointee.group?.object.id.key
        case .channel: candidate.channel.map { key($0) }
        case .region: candidate.region?.object.id.key
        case .data: candidate.dataKey(at: step.pointee.plan.object.dataPath[...]).map { key($0) }
        }
    }

    /// Calls `body` with every step of the candidate that a hook is told for, and its counter: all that apply.
    func forEachApplicable(_ body: (UnsafePointer<ChainStep>, UnsafePointer<CounterKey>) -> Void) {
        for step in candidate.steps where step.pointee.strategy != nil {
            if let counter = counter(ifAsked: step, .creation, nil) { body(step, counter) }
        }
    }

    /// The same, and those that have a state there whose `when` does not hold any more: what they counted they may have to take back.
    func forEachConcerned(_ body: (UnsafePointer<ChainStep>, UnsafePointer<CounterKey>) -> Void) {
        for step in candidate.steps where step.pointee.strategy != nil && step.pointee.skip == nil {
            guard let counter = counter(of: step) else { continue }
            let hasState = step.pointee.states.flatMap { slot($0, counter) } != nil
            if hasState || !step.pointee.isConditional || isWanted(step) { body(step, counter) }
        }
    }

    // MARK: Telling

    /// Tells every entry that was asked what came of it, but for those that make nothing of a refusal.
    func tell(_ question: Question, happened: Bool) {
        let outcome: belfry_bool = happened ? 1 : 0
        for answer in answers.places where answer.pointee.isTold {
            let (step, counter) = (answer.pointee.step, answer.pointee.key)
            if !happened, step.pointee.isToldOfHappened { continue }
            // Only a strategy is told.
            let table = step.pointee.strategy!
            guard let hook = question == .creation ? table.pointee.did_create : table.pointee.did_delete else {
                continue
            }
            tell(step.pointee.plan, step.pointee.states, counter, slot(of: answer), question.hooks.telling) {
                hook(step.pointee.instance, $0, cCandidate(counter: counter), outcome, cContext, $1)
            }
        }
    }

    /// Where the state of an answer is, which was looked for when the question was asked.
    @inline(__always)
    private func slot(of answer: UnsafePointer<Answer>) -> SubjectRecord.Slot? {
        if record.block.arrangement == arrangement { return answer.pointee.slot }
        return answer.pointee.step.pointee.states.flatMap { slot($0, answer.pointee.key) }
    }

    /// Tells an entry something under a counter; what fails is noted, and leaves the state as it was.
    func tell(
        _ plan: Lent<EntryPlan>, _ counter: UnsafePointer<CounterKey>, _ name: Hook,
        _ hook: (UnsafeMutableRawPointer?, UnsafePointer<belfry_sink>) -> belfry_told
    ) {
        let states = plan.with { $0.states?.pointer }
        tell(plan, states, counter, states.flatMap { slot($0, counter) }, name, hook)
    }

    @inline(__always)
    private func tell(
        _ plan: Lent<EntryPlan>, _ states: UnsafePointer<StatePlan>?, _ counter: UnsafePointer<CounterKey>,
        _ slot: SubjectRecord.Slot?, _ name: Hook,
        _ hook: (UnsafeMutableRawPointer?, UnsafePointer<belfry_sink>) -> belfry_told
    ) {
        do throws(Fault) {
            if let states {
                try call(states, counter, slot, name) { hook($0, $1) }
            } else {
                _ = try told(plan.with { $0.number }, name) { hook(nil, $0) }
            }
        } catch {
            note(error, of: plan.object, counter, name)
        }
    }

    @inline(never)
    private func note(_ fault: Fault, of plan: EntryPlan, _ counter: UnsafePointer<CounterKey>, _ name: Hook) {
        faults.append(
            Decision.Fault(
                strategy: plan.entry.id, origin: hasCandidate ? candidate.origin : nil,
                counter: counter.pointee.text.string, hook: (fault.hook ?? name).name, cause: fault.cause,
                message: fault.message))
    }
}

extension Value {
    /// The value as the key of a counter; nothing that is null, a list or a mapping counts.
    var counterKey: String? {
        switch self {
        case .text(let text): text
        case .bool, .integer, .number: json
        case .null, .list, .map: nil
        }
    }
}
