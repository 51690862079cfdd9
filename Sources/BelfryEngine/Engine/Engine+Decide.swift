import BelfryModel

extension Engine {
    /// Makes the candidate of the scope one of a campaign, with its texts filled in, before any filter.
    @inline(__always)
    func become(_ trigger: Lent<TriggerPlan>, _ moment: borrowing Moment, into effects: inout Effects) {
        scope.candidate.become(trigger, channel: moment.channel)
        if !trigger.with({ $0.isFixed }) { fill(trigger.object, in: nil, nil, into: &effects) }
    }

    func become(
        _ trigger: TriggerPlan, in region: RegionPlan?, _ moment: borrowing Moment, isDeferred: Bool = false,
        into effects: inout Effects
    ) {
        become(trigger, in: region, moment, isDeferred: isDeferred, asked: nil, into: &effects)
    }

    /// The same where a request or a signal said something.
    @inline(never)
    func become(
        _ trigger: TriggerPlan, in region: RegionPlan? = nil, _ moment: borrowing Moment, isDeferred: Bool = false,
        asked: SubjectRecord.Asked?, into effects: inout Effects
    ) {
        scope.candidate.become(
            Lent(trigger), region: region.map { Lent($0) }, channel: moment.channel, isDeferred: isDeferred)
        if !trigger.isFixed || asked != nil { fill(trigger, in: region, asked, into: &effects) }
    }

    @inline(never)
    private func fill(
        _ trigger: TriggerPlan, in region: RegionPlan?, _ asked: SubjectRecord.Asked?, into effects: inout Effects
    ) {
        let isAsConfigured = trigger.isFixed && asked?.showsNothing ?? true
        scope.candidate.take(
            asked, isAsConfigured ? nil : content(of: trigger.campaign, in: region, asked, into: &effects))
    }

    func content(
        of campaign: CampaignPlan, in region: RegionPlan?, _ asked: SubjectRecord.Asked?, into effects: inout Effects
    ) -> Decision.Content {
        var content = Decision.Content(
            presentation: campaign.campaign.presentation, category: asked?.category?.id ?? campaign.campaign.category)
        let count = asked?.digest?.count ?? 1
        content.title = asked?.title ?? fill(campaign.title, of: campaign, in: region, count, into: &effects)
        content.message = asked?.message ?? fill(campaign.message, of: campaign, in: region, count, into: &effects)
        content.data = asked?.data ?? campaign.campaign.data
        content.handler = campaign.handler(of: content.data).rawValue
        return content
    }

    /// A missing value is empty, and warned about.
    private func fill(
        _ template: Template?, of campaign: CampaignPlan, in region: RegionPlan?, _ count: Int,
        into effects: inout Effects
    ) -> String? {
        guard let template else { return nil }
        var warnings: [String] = []
        let text = template.filled {
            region?.value(of: $0) ?? Template.count($0, of: count)
        } missing: { name in
            let what =
                region.map { "region '\($0.region.id)' has no field '\(name)'" } ?? "there is no region for '{\(name)}'"
            warnings.append("campaign '\(campaign.campaign.id)': \(what), so its text has nothing there")
        }
        effects.warnings += warnings
        return text
    }

    /// Asks the chain about the candidate of the scope, acts on the outcome, and tells it.
    func decide(_ moment: borrowing Moment, into effects: inout Effects) {
        guard catalog.isEnabled(moment.record) else { return refuseDisabled(moment, into: &effects) }
        if catalog.hasSilences, refuseSilenced(moment, into: &effects) { return }
        ask(.creation, moment, into: &effects)
        let isSlotTaken = catalog.hasSlot && isSlotTaken(moment.record)
        let outcome = Outcome(scope.answers, isRefusedByHost: isSlotTaken)
        let invocation = conclude(outcome, isSlotTaken: isSlotTaken, moment, into: &effects)
        tell(.creation, happened: outcome.isToldAsCreated, moment, into: &effects)
        if !scope.digestTerms.isEmpty, outcome.isToldAsCreated { lead(moment) }
        if filled != nil { closeFilled(moment, into: &effects) }
        if let invocation { invoke(invocation, moment, into: &effects) }
    }

    @inline(never)
    private func refuseDisabled(_ moment: borrowing Moment, into effects: inout Effects) {
        effects.add(.suppressed(Decision.Refused(origin: scope.candidate.origin, reasons: [.disabled])), moment)
    }

    /// - Returns: what a geotrigger that fired invokes.
    private func conclude(
        _ outcome: Outcome, isSlotTaken: Bool, _ moment: borrowing Moment, into effects: inout Effects
    ) -> Decision.Invocation? {
        switch outcome.kind {
        case .allowed: return create(outcome, moment, into: &effects)
        case .refused:
            let taken = isSlotTaken ? slotDenial(moment.record) : nil
            effects.add(.suppressed, scope.candidate, outcome, scope.answers, slotDenial: taken, moment)
        case .deferred(let until):
            arm(until: until, moment)
            effects.add(.deferred, scope.candidate, outcome, scope.answers, moment)
        case .collected(let answer): collect(answer, moment, into: &effects)
        case .withheld: withhold(outcome, moment, into: &effects)
        }
        return nil
    }

    /// Asks the chain about the candidate of the scope: the answers are there. What failed is reported, and an observer is shown all.
    func ask(_ question: Question, _ moment: borrowing Moment, into effects: inout Effects) {
        scope.begin(moment, hasCandidate: true, texts: effects.texts)
        let skipped = observer == nil ? nil : SkippedEntries()
        if assigner != nil { assignVariants(moment) }
        scope.ask(question, skipped)
        if assigner != nil { expose(moment, into: &effects) }
        if !scope.warnings.isEmpty || scope.answers.haveFault { report(question, moment, into: &effects) }
        if let skipped { show(question, skipped, effects) }
    }

    /// Tells every entry that was asked what came of it.
    func tell(_ question: Question, happened: Bool, _ moment: borrowing Moment, into effects: inout Effects) {
        scope.tell(question, happened: happened)
        scope.endStates()
        reportFaults(moment, into: &effects)
    }

    /// AdTag's slot: only so many current notifications at once. Geotriggers show nothing and take no place.
    @inline(never)
    func isSlotTaken(_ record: borrowing SubjectRecord) -> Bool {
        guard let limit = catalog.configuration.currentLimit, !scope.candidate.isGeotrigger else { return false }
        return record.currentCount >= limit
    }

    @inline(never)
    func slotDenial(_ record: borrowing SubjectRecord) -> Decision.Denial {
        let current = record.current.map { "'\($0.notification)'" }
        let verb = current.count == 1 ? "is" : "are"
        return Decision.Denial(
            strategy: "belfry", code: "slot-taken",
            message: "\(current.joined(separator: ", ")) \(verb) current and not deleted yet")
    }

    /// Remembers only what the request said; the campaign's own texts are filled in afresh then.
    @inline(never)
    private func arm(until: Instant, _ moment: borrowing Moment) {
        let candidate = scope.candidate
        var asked = candidate.asked ?? SubjectRecord.Asked()
        asked.deferrals += 1
        moment.record.arm(
            .deferral(asked), at: until, cause: moment.cause, channel: candidate.channel, origin: candidate.origin)
        scope.refreshSubject()
    }

    /// Adds a decision for each answer that failed, in chain order.
    @inline(never)
    private func report(_ question: Question, _ moment: borrowing Moment, into effects: inout Effects) {
        effects.warnings += scope.warnings
        scope.warnings.removeAll()
        for answer in scope.answers where answer.isFault {
            let hook = answer.hook ?? (answer.entry.strategy == nil ? .apply : question.hooks.asking)
            effects.add(
                .faulted(
                    Decision.Fault(
                        strategy: answer.entry.entry.id, origin: scope.candidate.origin, counter: answer.counter,
                        hook: hook.name, cause: answer.cause, message: answer.said.message.string ?? "")), moment)
        }
    }

    /// Adds a decision for each hook that failed, in chain order.
    @inline(__always)
    func reportFaults(_ moment: borrowing Moment, into effects: inout Effects) {
        if scope.faults.isEmpty { return }
        for fault in scope.faults { effects.add(.faulted(fault), moment) }
        scope.faults.removeAll()
    }
}

extension Decision.Denial {
    static let disabled = Decision.Denial(
        strategy: "belfry", code: "disabled", message: "notifications are switched off for this subject")
}

extension SubjectRecord.Asked {
    /// Whether it says nothing of what is shown.
    fileprivate var showsNothing: Bool { title == nil && message == nil && data == nil && category == nil }
}
