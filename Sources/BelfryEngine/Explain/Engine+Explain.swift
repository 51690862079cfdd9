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
            entries: asked.entries, result: asked.outcome.result(of: asked.candidate), reasons: asked.outcome.reasons,
            observed: asked.outcome.observed, content: asked.candidate.content, earliest: .at(time))
        if !asked.outcome.isAllowed {
            explanation.earliest = earliest(after: asked, trigger, region, question.channel, copy, time)
        }
        return explanation
    }

    private struct Asked {
        var candidate: Candidate
        var entries: [Explanation.Entry] = []
        var answers: [Chain.Answer] = []
        var outcome: Outcome
    }

    private func ask(
        _ trigger: TriggerPlan, _ region: RegionPlan?, _ channel: String?, _ record: SubjectRecord, at time: Instant
    ) -> Asked {
        var ignored = Effects()
        let moment = Moment(record: record, now: time, time: time, cause: "explain", channel: channel)
        startMonitoring(moment)
        let candidate = candidate(trigger, in: region, moment, into: &ignored)
        guard catalog.isEnabled(record) else {
            return Asked(candidate: candidate, outcome: Outcome([], hostDenial: .disabled))
        }
        var chain = chain(for: candidate, moment)
        let notes = ChainNotes(candidate, catalog)
        chain.listener = notes.take
        let answers = chain.ask(.creation)
        return Asked(
            candidate: candidate, entries: notes.entries(with: answers, record), answers: answers,
            outcome: Outcome(answers, hostDenial: slotDenial(for: candidate, record)))
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
            let untils = asked.answers.compactMap { $0.verdict.reason?.until }.filter { $0 > now }
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

extension Engine {
    /// The trigger that a question is about.
    private func trigger(for question: Explanation.Question) throws -> TriggerPlan {
        guard let campaign = catalog.campaignByID[question.campaign] else {
            throw UnansweredQuestion("campaign", question.campaign, among: catalog.campaignByID.keys)
        }
        guard campaign.campaign.published else {
            throw UnansweredQuestion(
                what: "the campaign '\(question.campaign)' is never a candidate", why: "it is not published",
                fix: "set 'published: true'")
        }
        if let region = question.region, !catalog.knowsRegion(region) {
            throw UnansweredQuestion("region", region, among: catalog.regionByID.keys)
        }
        let triggers = catalog.triggers[campaign.index]
        if let id = question.trigger {
            guard let trigger = triggers.first(where: { $0.trigger?.id == id }) else {
                throw UnansweredQuestion(
                    "trigger", id, among: triggers.compactMap(\.trigger?.id), of: "campaign '\(question.campaign)'")
            }
            return try waiting([trigger], question)
        }
        return question.region == nil ? catalog.requests[campaign.index] : try waiting(triggers, question)
    }

    /// The first of the triggers that waits where the question says.
    private func waiting(_ triggers: [TriggerPlan], _ question: Explanation.Question) throws -> TriggerPlan {
        if let trigger = triggers.first(where: { $0.waits(at: question.region) }) { return trigger }
        let which = question.trigger.map { "the trigger '\($0)'" } ?? "no trigger"
        let why =
            question.region.map {
                "\(which) of campaign '\(question.campaign)' \(question.trigger == nil ? "waits" : "does not wait") at region '\($0)'"
            }
            ?? "\(which) of campaign '\(question.campaign)' waits at regions"
        throw UnansweredQuestion(
            what: "there is no such candidate", why: why,
            fix: question.region == nil
                ? "name one of its regions with --region" : "name a region of its triggers, or none for a request")
    }
}

extension TriggerPlan {
    fileprivate func waits(at region: String?) -> Bool {
        guard let trigger else { return region == nil }
        switch (event, region) {
        case (.request, nil), (.signal, nil): return true
        case (.request, _), (.signal, _), (_, nil): return false
        case (_, let region?):
            if case .some(let regions) = trigger.regions { return regions.contains(region) } else { return true }
        }
    }
}

extension UnansweredQuestion {
    fileprivate init(
        _ what: String, _ id: String, among known: some Sequence<String>, of owner: String = "the configuration"
    ) {
        self.what = "there is no \(what) '\(id)'"
        why = "\(owner) has none of that id"
        fix = nearestMatch(to: id, among: known).map { "did you mean '\($0)'?" } ?? "look at the configuration"
    }
}
