import BelfryModel

extension Engine {
    /// Creates what the chain allowed: a notification, or a geotrigger that fires.
    ///
    /// - Returns: what a geotrigger invokes.
    @inline(never)
    func create(
        _ outcome: Outcome, _ moment: borrowing Moment, into effects: inout Effects
    ) -> Decision.Invocation? {
        let created = scope.candidate.trigger.with { moment.record.count($0.campaignID, at: moment.now) }
        if scope.candidate.isGeotrigger { return fire(created, outcome, moment, into: &effects) }
        notify(created, outcome, moment, into: &effects)
        return nil
    }

    private func notify(
        _ created: (number: UInt32, campaign: Int), _ outcome: Outcome, _ moment: borrowing Moment,
        into effects: inout Effects
    ) {
        let candidate = scope.candidate
        showButtons(on: candidate, moment.record)
        moment.record.add(
            candidate.snapshot, number: created.number, campaign: created.campaign, at: moment.now,
            marks: candidate.isDeletedOnExit ? [.current, .inHistory, .deletedOnExit] : [.current, .inHistory],
            keeping: catalog.limits)
        scope.refreshSubject()
        candidate.take(number: created.number)
        scope.nameCandidate()
        if !candidate.isPlain, candidate.asked?.digest != nil { return tellDigest(outcome, moment, into: &effects) }
        effects.add(.created, candidate, number: created.number, outcome, scope.answers, moment)
    }

    @inline(never)
    private func tellDigest(_ outcome: Outcome, _ moment: borrowing Moment, into effects: inout Effects) {
        let candidate = scope.candidate
        effects.add(
            .created(
                Decision.Created(
                    notification: candidate.notification ?? "", origin: candidate.origin, content: candidate.content,
                    digest: candidate.digest, observed: outcome.observed(scope.answers))), moment)
    }

    private func showButtons(on candidate: Candidate, _ record: borrowing SubjectRecord) {
        // Without a category only a filter shows some.
        if candidate.isAsConfigured, !candidate.trigger.with({ $0.hasCategory }) { return }
        let buttons = buttons(of: candidate, record)
        // Only then is the content its own.
        if buttons != candidate.content.buttons { candidate.content.buttons = buttons }
    }

    private func fire(
        _ created: (number: UInt32, campaign: Int), _ outcome: Outcome, _ moment: borrowing Moment,
        into effects: inout Effects
    ) -> Decision.Invocation? {
        let candidate = scope.candidate
        let action = candidate.campaign.campaign.onFire
        let isProvided = action.map { catalog.actions[$0.type] != nil } ?? true
        moment.record.add(
            candidate.snapshot, to: .geotriggers, number: created.number, campaign: created.campaign, at: moment.now,
            openedAt: isProvided ? moment.now : nil, marks: [])
        moment.record.forgetOldestGeotriggers(keeping: catalog.configuration.historyLimit)
        scope.refreshSubject()
        effects.add(
            .fired(
                Decision.Fired(
                    origin: candidate.origin, data: candidate.content.data, digest: candidate.digest,
                    handled: action == nil ? true : isProvided ? nil : false, observed: outcome.observed(scope.answers))
            ),
            moment)
        return action.map {
            Decision.Invocation(
                campaign: candidate.campaign.campaign.id, number: created.number, action: $0.members,
                payload: candidate.origin.payload(candidate.content))
        }
    }

    /// Takes back that a geotrigger was handled: its handler did not take it.
    ///
    /// Plot Projects, geotrigger handler: those that it does not return are not marked handled.
    public func markUnhandled(_ geotrigger: FiredGeotrigger, in record: inout SubjectRecord) {
        record.markUnhandled(geotrigger)
    }
}

/// Which geotrigger it is of those that a subject's campaigns have fired.
public struct FiredGeotrigger: Sendable, Hashable {
    public var campaign: String
    /// Of several that fired at one instant, which one.
    public var number: UInt32
    /// A reset begins the numbers anew.
    public var time: Instant

    public init(campaign: String, number: UInt32, time: Instant) {
        (self.campaign, self.number, self.time) = (campaign, number, time)
    }
}

extension Candidate {
    fileprivate var isDeletedOnExit: Bool { region != nil && trigger.with { $0.isDeletedOnExit } }
}

extension Decision.Origin {
    /// What a handler sees of a notification.
    package func payload(_ content: Decision.Content, notification: String? = nil, button: String? = nil) -> Fields {
        var fields = Fields()
        fields["notification"] = notification.map { .text($0) }
        fields["campaign"] = .text(campaign)
        fields["trigger"] = trigger.map { .text($0) }
        fields["region"] = region.map { .text($0) }
        fields["title"] = content.title.map { .text($0) }
        fields["message"] = content.message.map { .text($0) }
        fields["data"] = content.data
        fields["category"] = content.category.map { .text($0) }
        fields["buttons"] = content.shownButtons
        fields["button"] = button.map { .text($0) }
        return fields
    }
}
