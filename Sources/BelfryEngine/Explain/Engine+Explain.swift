import BelfryModel

extension Engine {
    /// Asks the chain about a candidate as a signal would, on a copy of the record. Changes nothing.
    ///
    /// Timers of the subject that are due meanwhile fire on the copy, as they would in a run.
    ///
    /// - Throws: `UnansweredQuestion` if the configuration has no such candidate.
    public func explain(_ question: Explanation.Question, _ record: SubjectRecord) throws -> Explanation {
        let trigger = try trigger(for: question)
        let region = question.region.flatMap { catalog.regionByID[$0] }
        let copy = record.copy()
        let time = max(question.time, record.latest)
        pass(time, copy)
        let asked = ask(trigger, region, question.channel, copy, at: time)
        var explanation = Explanation(
            subject: record.subject, time: time, origin: asked.candidate.origin, event: trigger.event.name,
            entries: asked.entries, result: asked.outcome.result(of: asked.candidate), reasons: asked.reasons,
            observed: asked.observed, content: asked.candidate.content, earliest: .at(time))
        if !asked.outcome.isAllowed {
            explanation.earliest = earliest(after: asked, trigger, region, question.channel, copy, time)
        }
        return explanation
    }

    private struct Asked {
        var candidate: Candidate
        var entries: [Explanation.Entry] = []
        var outcome: Outcome
        var reasons: [Decision.Denial]
        var observed: [Decision.Denial]
        /// When one of those that were asked would change its mind.
        var untils: [Instant]

        init(_ candidate: Candidate, _ entries: [Explanation.Entry], _ answers: Answers, hostDenials: [Decision.Denial])
        {
            self.candidate = candidate
            self.entries = entries
            outcome = Outcome(answers, isRefusedByHost: !hostDenials.isEmpty)
            reasons = outcome.reasons(answers, hostDenials)
            observed = outcome.observed(answers)
            untils = answers.filter(\.isDenial).compactMap(\.until)
        }
    }

    private func ask(
        _ trigger: TriggerPlan, _ region: RegionPlan?, _ channel: String?, _ record: SubjectRecord, at time: Instant
    ) -> Asked {
        var ignored = Effects()
        let moment = Moment(record: record, now: time, time: time, cause: "explain", channel: channel)
        startMonitoring(moment)
        let candidate = candidate(trigger, in: region, moment, into: &ignored)
        guard catalog.isEnabled(record) else {
            scope.answers.removeAll()
            return Asked(candidate, [], scope.answers, hostDenials: [.disabled])
        }
        let notes = ChainNotes(candidate, catalog)
        self.ask(.creation, candidate, moment, notes)
        scope.warnings.removeAll()
        return Asked(
            candidate, notes.entries(with: scope.answers, record), scope.answers,
            hostDenials: slotDenials(for: candidate, record))
    }

    /// How often the clock is moved on before the search is given up.
    private static let patience = 1000

    /// Moves the clock to each instant at which a rule would change its mind, or a timer is due, and asks again.
    private func earliest(
        after first: Asked, _ trigger: TriggerPlan, _ region: RegionPlan?, _ channel: String?, _ record: SubjectRecord,
        _ start: Instant
    ) -> Explanation.Earliest {
        var (asked, now) = (first, start)
        for _ in 0..<Self.patience {
            let untils = asked.untils.filter { $0 > now }
            guard let next = (untils + [record.nextDue].compactMap { $0 }).min() else { return .never }
            now = max(next, now)
            pass(now, record)
            asked = ask(trigger, region, channel, record, at: now)
            if asked.outcome.isAllowed { return .at(now) }
        }
        return .notBefore(now)
    }

    /// Lets time pass for a record: its timers up to then fire.
    private func pass(_ time: Instant, _ record: SubjectRecord) {
        var ignored = Effects()
        for _ in 0..<Self.patience {
            guard let due = record.nextDue, due <= time else { break }
            fireNextTimer(of: record, into: &ignored)
            ignored.removeAll()
        }
    }
}

extension Outcome {
    fileprivate func result(of candidate: Candidate) -> Explanation.Result {
        switch kind {
        case .allowed: candidate.campaign.isGeotrigger ? .fired : .created
        case .refused: .suppressed
        case .deferred: .deferred
        }
    }
}
