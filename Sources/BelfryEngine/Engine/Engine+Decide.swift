import BelfryModel

extension Engine {
    /// A candidate of a campaign with its texts filled in, before any filter.
    func candidate(
        _ trigger: TriggerPlan, in region: RegionPlan? = nil, _ moment: Moment, isDeferred: Bool = false,
        asked: SubjectRecord.Asked = SubjectRecord.Asked(), into effects: inout Effects
    ) -> Candidate {
        var content = Decision.Content(
            presentation: trigger.campaign.campaign.presentation,
            category: asked.category?.id ?? trigger.campaign.campaign.category)
        content.title = asked.title ?? fill(trigger.campaign.title, of: trigger.campaign, in: region, into: &effects)
        content.message =
            asked.message ?? fill(trigger.campaign.message, of: trigger.campaign, in: region, into: &effects)
        content.data = asked.data ?? trigger.campaign.campaign.data
        content.handler = trigger.campaign.handler(of: content.data).rawValue
        return Candidate(
            trigger, region: region, channel: moment.channel, cause: moment.cause, isDeferred: isDeferred, asked: asked,
            content: content)
    }

    /// A missing value is empty, and warned about.
    private func fill(
        _ template: Template?, of campaign: CampaignPlan, in region: RegionPlan?, into effects: inout Effects
    ) -> String? {
        guard let template else { return nil }
        var warnings: [String] = []
        let text = template.filled {
            region?.value(of: $0)
        } missing: { name in
            let what =
                region.map { "region '\($0.region.id)' has no field '\(name)'" } ?? "there is no region for '{\(name)}'"
            warnings.append("campaign '\(campaign.campaign.id)': \(what), so its text has nothing there")
        }
        effects.warnings += warnings
        return text
    }

    /// Asks the chain about a candidate, acts on the outcome, and tells it.
    func decide(_ candidate: Candidate, _ moment: Moment, into effects: inout Effects) {
        let record = moment.record
        guard catalog.isEnabled(record) else {
            let refused = Decision.Refused(origin: candidate.origin, reasons: [.disabled])
            return effects.add(.suppressed(refused), moment)
        }
        let chain = chain(for: candidate, moment)
        let answers = chain.ask(.creation)
        reportFaults(answers, moment, into: &effects)
        let outcome = Outcome(answers, hostDenial: slotDenial(for: candidate, record))
        switch outcome.kind {
        case .allowed: create(candidate, outcome, moment, into: &effects)
        case .refused: effects.add(.suppressed(outcome.refused(candidate)), moment)
        case .deferred(let until):
            arm(candidate, until: until, moment)
            effects.add(.deferred(outcome.refused(candidate)), moment)
        }
        chain.tell(answers, .creation, happened: outcome.isAllowed)
    }

    /// The chain, ready to be asked about a candidate.
    func chain(for candidate: Candidate, _ moment: Moment) -> Chain {
        scope.begin(moment.record, at: moment.now, channel: moment.channel, candidate: candidate)
        return Chain(catalog: catalog, scope: scope, record: moment.record, candidate: candidate)
    }

    /// AdTag's slot: only so many current notifications at once. Geotriggers show nothing and take no place.
    func slotDenial(for candidate: Candidate, _ record: SubjectRecord) -> Decision.Denial? {
        guard let limit = catalog.configuration.currentLimit, !candidate.campaign.isGeotrigger,
            record.current.count >= limit
        else {
            return nil
        }
        let current = record.current.map { "'\($0.notification)'" }.joined(separator: ", ")
        return Decision.Denial(
            strategy: "belfry", code: "slot-taken", message: "\(current) is current and not deleted yet")
    }

    /// Remembers only what the request said; the campaign's own texts are filled in afresh then.
    private func arm(_ candidate: Candidate, until: Instant, _ moment: Moment) {
        moment.record.arm(
            .deferral(candidate.asked), at: until, cause: candidate.cause, channel: candidate.channel,
            origin: candidate.origin)
    }

    func reportFaults(_ answers: [Chain.Answer], _ moment: Moment, into effects: inout Effects) {
        for answer in answers {
            effects.warnings += answer.warnings
            guard case .fault(let message) = answer.verdict else { continue }
            effects.add(.faulted(strategy: answer.entry.entry.id, message: message), moment)
        }
    }
}

extension Decision.Denial {
    static let disabled = Decision.Denial(
        strategy: "belfry", code: "disabled", message: "notifications are switched off for this subject")
}

extension Outcome {
    var isAllowed: Bool { if case .allowed = kind { true } else { false } }

    func refused(_ candidate: Candidate) -> Decision.Refused {
        Decision.Refused(origin: candidate.origin, reasons: reasons, observed: observed, until: until)
    }
}

extension Effects {
    mutating func add(_ body: Decision.Body, _ moment: Engine.Moment) {
        decisions.append(Decision(subject: moment.record.subject, time: moment.now, cause: moment.cause, body: body))
    }
}
