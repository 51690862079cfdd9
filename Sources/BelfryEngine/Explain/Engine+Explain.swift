import BelfryModel

extension Engine {
    /// Asks the chain about a candidate as a signal would, on a copy of the record. Changes nothing.
    ///
    /// Timers of the subject that are due meanwhile fire on the copy, as they would in a run.
    ///
    /// - Throws: `UnansweredQuestion` if the configuration has no such candidate, or there is no time to ask about.
    public func explain(
        _ question: Explanation.Question, _ record: borrowing SubjectRecord
    ) throws -> Explanation {
        let trigger = try trigger(for: question)
        let search = CandidateSearch(
            trigger: trigger, region: question.region.flatMap { catalog.regionByID[$0] }, channel: question.channel)
        var copy = record.copy()
        copy.overlay(question.attributes)
        let time = max(question.time, record.latest)
        guard time.isWritable else {
            throw UnansweredQuestion(
                what: "there is no time to ask about", why: "nothing has happened to this subject yet",
                expected: "a time", fix: "say when: with 'at', or with --at on the command line")
        }
        let observer = observer
        defer { self.observer = observer }
        self.observer = nil
        pass(time, &copy)
        let asked = ask(search, &copy, at: time)
        var explanation = Explanation(
            subject: record.subject, time: time, origin: asked.origin, event: trigger.event.name,
            entries: asked.entries, result: asked.outcome.result(isGeotrigger: trigger.isGeotrigger),
            reasons: asked.reasons, observed: asked.observed, content: asked.content, earliest: .at(time))
        explanation.variants = asked.variants.map { Explanation.Variant(experiment: $0.experiment, name: $0.variant) }
        if !asked.outcome.isAllowed { explanation.earliest = earliest(after: asked, search, &copy, time) }
        return explanation
    }

    /// Which candidate is asked about.
    private struct CandidateSearch {
        let trigger: TriggerPlan
        let region: RegionPlan?
        let channel: String?
    }

    private struct Asked {
        let origin: Decision.Origin
        let content: Decision.Content
        let entries: [Explanation.Entry]
        let outcome: Outcome
        let reasons: [Decision.Denial]
        let observed: [Decision.Denial]
        /// When one of those that count against it would change its mind. What would collect it moves on with each question, and is of no
        /// account where another one refuses.
        let untils: [Instant]
        var variants: [(experiment: String, variant: String)] = []

        init(_ scope: CallScope, _ entries: [Explanation.Entry], hostDenials: [Decision.Denial]) {
            (origin, content) = (scope.candidate.origin, scope.candidate.content)
            self.entries = entries
            outcome = Outcome(scope.answers, isRefusedByHost: !hostDenials.isEmpty)
            reasons = outcome.reasons(scope.answers, hostDenials)
            observed = outcome.observed(scope.answers)
            let isCollected = if case .collected = outcome.kind { true } else { false }
            let counted = scope.answers.filter {
                $0.isDenial && $0.control != .observer && ($0.kind != .collect || isCollected)
            }
            untils = counted.compactMap(\.said.until) + hostDenials.compactMap(\.until)
        }
    }

    private func ask(_ search: CandidateSearch, _ record: inout SubjectRecord, at time: Instant) -> Asked {
        withUnsafeMutablePointer(to: &record) { pointer in
            var ignored = Effects()
            let moment = Moment(
                lent: LentRecord(pointer), now: time, time: time, cause: Self.cause, channel: search.channel)
            startMonitoring(moment, into: &ignored)
            become(search.trigger, in: search.region, moment, into: &ignored)
            guard catalog.isEnabled(moment.record) else {
                scope.answers.removeAll()
                return Asked(scope, [], hostDenials: [.disabled])
            }
            let silences = catalog.hasSilences ? silences(moment) : []
            guard silences.isEmpty else {
                scope.answers.removeAll()
                return Asked(scope, [], hostDenials: silences)
            }
            var entries: [Explanation.Entry] = []
            observer = { entries = $0.entries }
            ask(.creation, moment, into: &ignored)
            observer = nil
            scope.endStates()
            var asked = Asked(
                scope, entries, hostDenials: isSlotTaken(moment.record) ? [slotDenial(moment.record)] : [])
            asked.variants = variants
            return asked
        }
    }

    /// How often the clock is moved on before the search is given up.
    private static let patience = 1000

    /// Moves the clock to each instant at which a rule would change its mind, or a timer is due, and asks again.
    private func earliest(
        after first: Asked, _ search: CandidateSearch, _ record: inout SubjectRecord, _ start: Instant
    ) -> Explanation.Earliest {
        var (asked, now, patience) = (first, start, Self.patience)
        // When it would be created if it came by now and had to wait: one that comes later may be created before that.
        var waiting: Instant?
        while patience > 0 {
            if let instant = creation(of: search, asked, record, at: now, &patience) {
                waiting = min(waiting ?? instant, instant)
            }
            let changes = asked.untils.filter { $0 > now } + [record.nextDue].compactMap { $0 }
            let next = changes.filter { change in waiting.map { change < $0 } ?? true }.min()
            guard let next, waiting != now else { return waiting.map { .at($0) } ?? .never }
            now = max(next, now)
            pass(now, &record)
            asked = ask(search, &record, at: now)
            patience -= 1
        }
        return waiting.map { .at($0) } ?? .notBefore(now)
    }

    /// When a candidate is created: now, or when what it is deferred to or collected in ends; nil if it is not. Decides as a run does, on a
    /// copy of the record.
    private func creation(
        of search: CandidateSearch, _ asked: Asked, _ record: borrowing SubjectRecord, at now: Instant,
        _ patience: inout Int
    ) -> Instant? {
        switch asked.outcome.kind {
        case .allowed: return now
        case .refused, .withheld: return nil
        case .deferred, .collected: break
        }
        var copy = record.copy()
        var effects = Effects()
        effects.begin(copy.subject)
        var waiting = decide(search, on: &copy, at: now, into: &effects)
        if effects.decisions.contains(where: \.isCreation) { return now }
        while patience > 0, copy.timers.contains(where: { Waiting($0) == waiting }), let due = copy.nextDue {
            effects.begin(copy.subject)
            _ = tick(&copy, to: due, into: &effects)
            if effects.decisions.contains(where: { $0.isCreation && Waiting($0) == waiting }) { return due }
            // Another digest may have taken it.
            waiting = collector(of: waiting, effects, copy) ?? waiting
            patience -= 1
        }
        return nil
    }

    /// - Returns: what the candidate waits in, unless it does not wait.
    private func decide(
        _ search: CandidateSearch, on record: inout SubjectRecord, at time: Instant, into effects: inout Effects
    ) -> Waiting {
        withUnsafeMutablePointer(to: &record) { pointer in
            let moment = Moment(
                lent: LentRecord(pointer), now: time, time: time, cause: Self.cause, channel: search.channel)
            become(search.trigger, in: search.region, moment, into: &effects)
            let own = Waiting(cause: Self.cause, origin: scope.candidate.origin)
            decide(moment, into: &effects)
            return collector(of: own, effects, moment.record) ?? own
        }
    }

    /// The digest that has just collected a candidate; nil if none has.
    private func collector(of waiting: Waiting, _ effects: borrowing Effects, _ record: borrowing SubjectRecord)
        -> Waiting?
    {
        for decision in effects.decisions where Waiting(decision) == waiting {
            guard case .collected(let collected) = decision.body else { continue }
            return record.timers.first { $0.isDigest(of: collected) }.flatMap { Waiting($0) }
        }
        return nil
    }

    private static let cause = "explain"

    /// Lets time pass for a record: its timers up to then fire.
    private func pass(_ time: Instant, _ record: inout SubjectRecord) {
        var ignored = Effects()
        _ = tick(&record, to: time, into: &ignored)
    }
}

extension Outcome {
    fileprivate func result(isGeotrigger: Bool) -> Explanation.Result {
        switch kind {
        case .allowed: isGeotrigger ? .fired : .created
        case .refused: .suppressed
        case .deferred: .deferred
        case .collected: .collected
        case .withheld: .withheld
        }
    }
}

extension Decision {
    fileprivate var isCreation: Bool {
        switch body {
        case .created, .fired: true
        default: false
        }
    }
}

/// What tells a candidate that waits from all others of its subject. A digest is the candidate of its first item.
private struct Waiting: Equatable {
    let cause: String
    let origin: Decision.Origin

    init(cause: String, origin: Decision.Origin) { (self.cause, self.origin) = (cause, origin) }

    /// Of what is asked about once more when the timer fires; nil for any other timer.
    init?(_ timer: SubjectRecord.Timer) {
        switch timer.purpose {
        case .deferral, .digest: break
        case .dwell, .exit: return nil
        }
        cause = timer.cause
        origin = Decision.Origin(campaign: timer.campaign, trigger: timer.trigger, region: timer.region)
    }

    /// Of what was decided about a candidate; nil for any other decision.
    init?(_ decision: Decision) {
        switch decision.body {
        case .created(let created): origin = created.origin
        case .fired(let fired): origin = fired.origin
        case .collected(let collected): origin = collected.origin
        default: return nil
        }
        cause = decision.cause
    }
}

extension SubjectRecord.Timer {
    fileprivate func isDigest(of collected: Decision.Collected) -> Bool {
        guard case .digest(let digest) = purpose else { return false }
        return digest.entry == collected.strategy && digest.counter == collected.counter
    }
}

extension SubjectRecord {
    /// Sets attributes of the user, and takes those of the same name from all devices, which would come before them.
    fileprivate mutating func overlay(_ attributes: Fields) {
        guard !attributes.isEmpty else { return }
        for attribute in attributes.entries { user[attribute.key] = attribute.value }
        for channel in channels {
            updateChannel(channel.id) { channel in
                for name in attributes.keys { (channel.attributes[name], channel.automatic[name]) = (nil, nil) }
            }
        }
    }
}
