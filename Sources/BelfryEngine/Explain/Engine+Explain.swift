import BelfryModel

extension Engine {
    /// Asks the chain about a candidate as a signal would, on a copy of the record. Changes nothing.
    ///
    /// Timers of the subject that are due meanwhile fire on the copy, as they would in a run.
    ///
    /// - Throws: `UnansweredQuestion` if the configuration has no such candidate.
    public func explain(
        _ question: Explanation.Question, _ record: borrowing SubjectRecord
    ) throws -> Explanation {
        let trigger = try trigger(for: question)
        let search = CandidateSearch(
            trigger: trigger, region: question.region.flatMap { catalog.regionByID[$0] }, channel: question.channel)
        var copy = record.copy()
        for attribute in question.attributes.entries { copy.user[attribute.key] = attribute.value }
        let time = max(question.time, record.latest)
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
        /// Whether it is asked about once more, because it was deferred or collected.
        var isDeferred = false
        /// What it says beyond its campaign: at the close of a digest that it has items.
        var asked: SubjectRecord.Asked?
    }

    private struct Asked {
        let origin: Decision.Origin
        let content: Decision.Content
        let entries: [Explanation.Entry]
        let outcome: Outcome
        let reasons: [Decision.Denial]
        let observed: [Decision.Denial]
        /// When one of those that were asked would change its mind.
        let untils: [Instant]
        var variants: [(experiment: String, variant: String)] = []

        init(_ scope: CallScope, _ entries: [Explanation.Entry], hostDenials: [Decision.Denial]) {
            (origin, content) = (scope.candidate.origin, scope.candidate.content)
            self.entries = entries
            outcome = Outcome(scope.answers, isRefusedByHost: !hostDenials.isEmpty)
            reasons = outcome.reasons(scope.answers, hostDenials)
            observed = outcome.observed(scope.answers)
            untils = scope.answers.filter(\.isDenial).compactMap(\.said.until) + hostDenials.compactMap(\.until)
        }
    }

    private func ask(_ search: CandidateSearch, _ record: inout SubjectRecord, at time: Instant) -> Asked {
        withUnsafeMutablePointer(to: &record) { pointer in
            var ignored = Effects()
            let moment = Moment(
                lent: LentRecord(pointer), now: time, time: time, cause: "explain", channel: search.channel)
            startMonitoring(moment, into: &ignored)
            become(
                search.trigger, in: search.region, moment, isDeferred: search.isDeferred, asked: search.asked,
                into: &ignored)
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
        var (asked, now) = (first, start)
        for _ in 0..<Self.patience {
            if let created = creation(of: asked, search, record, now) { return .at(created) }
            let untils = asked.untils.filter { $0 > now }
            guard let next = (untils + [record.nextDue].compactMap { $0 }).min() else { return .never }
            now = max(next, now)
            pass(now, &record)
            asked = ask(search, &record, at: now)
        }
        return .notBefore(now)
    }

    /// When a candidate is created: now, or when it is asked about once more, since it is deferred or collected; nil if it is not.
    private func creation(
        of first: Asked, _ search: CandidateSearch, _ record: borrowing SubjectRecord, _ start: Instant
    ) -> Instant? {
        var (asked, search, now) = (first, search, start)
        var copy = record.copy()
        for _ in 0..<Self.patience {
            switch asked.outcome.kind {
            case .allowed: return now
            case .refused, .withheld: return nil
            case .deferred(let until):
                now = max(until, now)
                pass(now, &copy)
            case .collected:
                guard let closes = asked.reasons.first?.until else { return nil }
                now = max(closes, now)
                // Its own digest, which others may have opened, closes with it.
                pass(now - .milliseconds(1), &copy)
                search.asked = SubjectRecord.Asked(digest: items(of: asked, at: start))
            }
            search.isDeferred = true
            asked = ask(search, &copy, at: now)
        }
        return nil
    }

    /// What a digest has at its close, as far as the candidate goes.
    private func items(of asked: Asked, at time: Instant) -> SubjectRecord.CollectedItems {
        var items = SubjectRecord.CollectedItems()
        items.add(
            Decision.Digest.Item(cause: "explain", data: nil, time: time, campaign: asked.origin.campaign), keeping: 1)
        return items
    }

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
