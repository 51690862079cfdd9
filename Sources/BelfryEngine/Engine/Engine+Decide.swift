import BelfryModel

extension Engine {
    /// A candidate of a campaign with its texts filled in, before any filter.
    func candidate(
        _ trigger: TriggerPlan, in region: RegionPlan? = nil, _ moment: Moment, isDeferred: Bool = false,
        asked: SubjectRecord.Asked? = nil, into effects: inout Effects
    ) -> Candidate {
        let candidate = blank(trigger.head, in: region, moment, isDeferred: isDeferred).takeUnretainedValue()
        let campaign = trigger.campaign
        if campaign.isFixed, asked == nil { return candidate }
        let isAsConfigured = campaign.isFixed && asked?.showsNothing ?? true
        candidate.take(asked, isAsConfigured ? nil : content(of: campaign, in: region, asked, into: &effects))
        return candidate
    }

    /// A candidate of which nothing was said: the one before if it is done with, and nobody has kept it. It is kept until there is
    /// another one.
    func blank(
        _ head: UnsafePointer<TriggerHead>, in region: RegionPlan? = nil, _ moment: Moment, isDeferred: Bool = false
    ) -> Unmanaged<Candidate> {
        if isKnownUniquelyReferenced(&spare), let lentSpare {
            lentSpare._withUnsafeGuaranteedRef {
                $0.become(head, region: region, channel: moment.lentChannel, isDeferred: isDeferred)
            }
            return lentSpare
        }
        let candidate = Candidate(
            head.pointee.trigger.takeUnretainedValue(), region: region, channel: moment.channel,
            isDeferred: isDeferred)
        (spare, lentSpare) = (candidate, .passUnretained(candidate))
        return .passUnretained(candidate)
    }

    private func content(
        of campaign: CampaignPlan, in region: RegionPlan?, _ asked: SubjectRecord.Asked?, into effects: inout Effects
    ) -> Decision.Content {
        var content = Decision.Content(
            presentation: campaign.campaign.presentation, category: asked?.category?.id ?? campaign.campaign.category)
        content.title = asked?.title ?? fill(campaign.title, of: campaign, in: region, into: &effects)
        content.message = asked?.message ?? fill(campaign.message, of: campaign, in: region, into: &effects)
        content.data = asked?.data ?? campaign.campaign.data
        content.handler = campaign.handler(of: content.data).rawValue
        return content
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
        let isEnabled = moment.lentRecord._withUnsafeGuaranteedRef { catalog.isEnabled($0) }
        guard isEnabled else { return refuseDisabled(candidate, moment, into: &effects) }
        let notes = notes(on: candidate)
        ask(.creation, candidate, moment, notes, texts: effects.lentTexts)
        if !scope.warnings.isEmpty || scope.answers.haveFault { reportFaults(moment, into: &effects) }
        if notes != nil { testify(notes, .creation, moment, effects) }
        let outcome: Outcome
        if catalog.configuration.currentLimit == nil {
            outcome = Outcome(scope.answers)
            conclude(candidate, outcome, [], moment, into: &effects)
        } else {
            let denials = slotDenials(for: candidate, moment.record)
            outcome = Outcome(scope.answers, isRefusedByHost: !denials.isEmpty)
            conclude(candidate, outcome, denials, moment, into: &effects)
        }
        scope.tell(.creation, happened: outcome.isAllowed)
    }

    @inline(never)
    private func refuseDisabled(_ candidate: Candidate, _ moment: Moment, into effects: inout Effects) {
        effects.add(.suppressed(Decision.Refused(origin: candidate.origin, reasons: [.disabled])), moment)
    }

    private func conclude(
        _ candidate: Candidate, _ outcome: Outcome, _ hostDenials: [Decision.Denial], _ moment: Moment,
        into effects: inout Effects
    ) {
        switch outcome.kind {
        case .allowed: create(candidate, outcome, moment, into: &effects)
        case .refused:
            effects.add(.suppressed, candidate, outcome, scope.answers, hostDenials: hostDenials, moment, catalog)
        case .deferred(let until):
            arm(candidate, until: until, moment)
            effects.add(.deferred, candidate, outcome, scope.answers, moment, catalog)
        }
    }

    /// Asks the chain about a candidate: the answers are in the scope.
    ///
    /// - Parameter texts: where their texts go, if they are to last until there is another candidate.
    @inline(__always)
    func ask(
        _ question: Chain.Question, _ candidate: Candidate, _ moment: Moment, _ notes: ChainNotes?,
        texts: Unmanaged<Arena>? = nil
    ) {
        moment.lentRecord._withUnsafeGuaranteedRef { record in
            let straight = question == .creation && notes == nil ? candidate.straight : nil
            scope.begin(
                record, at: moment.now, channel: moment.lentChannel, candidate: candidate, isReady: straight != nil,
                texts: texts)
            if let straight {
                scope.ask(straight.steps, about: straight.candidates, record)
            } else {
                scope.ask(question, about: candidate, record, notes)
            }
        }
    }

    /// AdTag's slot: only so many current notifications at once. Geotriggers show nothing and take no place.
    ///
    /// - Returns: one denial or none.
    @inline(never)
    func slotDenials(for candidate: Candidate, _ record: SubjectRecord) -> [Decision.Denial] {
        guard let limit = catalog.configuration.currentLimit, !candidate.isGeotrigger, record.current.count >= limit
        else { return [] }
        let current = record.current.map { "'\($0.notification)'" }.joined(separator: ", ")
        return [
            Decision.Denial(
                strategy: "belfry", code: "slot-taken", message: "\(current) is current and not deleted yet")
        ]
    }

    /// Remembers only what the request said; the campaign's own texts are filled in afresh then.
    @inline(never)
    private func arm(_ candidate: Candidate, until: Instant, _ moment: Moment) {
        moment.record.arm(
            .deferral(candidate.asked ?? SubjectRecord.Asked()), at: until, cause: moment.cause,
            channel: candidate.channel, origin: candidate.origin)
    }

    func reportFaults(_ moment: Moment, into effects: inout Effects) {
        if !scope.warnings.isEmpty {
            effects.warnings += scope.warnings
            scope.warnings.removeAll()
        }
        guard scope.answers.haveFault else { return }
        for answer in scope.answers where answer.isFault {
            effects.add(.faulted(strategy: answer.entry.entry.id, message: answer.message.string ?? ""), moment)
        }
    }
}

extension Decision.Denial {
    static let disabled = Decision.Denial(
        strategy: "belfry", code: "disabled", message: "notifications are switched off for this subject")
}

extension SubjectRecord.Asked {
    /// Whether it says nothing of what is shown.
    fileprivate var showsNothing: Bool { title == nil && message == nil && data == nil && category == nil }
    var saysNothing: Bool { showsNothing && eventData == nil }
}
