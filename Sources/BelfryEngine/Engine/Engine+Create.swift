import BelfryModel

extension Engine {
    /// Creates what the chain allowed: a notification, or a geotrigger that fires.
    @inline(never)
    func create(_ candidate: Candidate, _ outcome: Outcome, _ moment: Moment, into effects: inout Effects) {
        let number = moment.lentRecord._withUnsafeGuaranteedRef { record in
            candidate.lentTrigger._withUnsafeGuaranteedRef {
                record.count($0.campaignID, at: moment.now, isSent: !$0.isGeotrigger)
            }
        }
        if candidate.isGeotrigger {
            fire(candidate, outcome, moment, into: &effects)
        } else {
            notify(candidate, number, outcome, moment, into: &effects)
        }
    }

    private func notify(
        _ candidate: Candidate, _ number: Int64, _ outcome: Outcome, _ moment: Moment, into effects: inout Effects
    ) {
        moment.lentRecord._withUnsafeGuaranteedRef { record in
            showButtons(on: candidate, record)
            candidate.notification = candidate.lentTrigger._withUnsafeGuaranteedRef {
                SubjectRecord.notification($0.campaignID, number)
            }
            scope.refreshCandidate()
            record.sent.append(
                SubjectRecord.Sent(
                    number: number, notice: candidate.notice, at: moment.now,
                    marks: candidate.isDeletedOnExit
                        ? [.current, .inHistory, .newest, .deletedOnExit] : [.current, .inHistory, .newest]))
            record.forgetOldest(keeping: catalog.configuration.historyLimit)
        }
        effects.add(.created, candidate, number: number, outcome, scope.answers, moment, catalog)
    }

    private func showButtons(on candidate: Candidate, _ record: SubjectRecord) {
        // Without a category only a filter shows some.
        let hasCategory = candidate.lentTrigger._withUnsafeGuaranteedRef { $0.hasCategory }
        if candidate.isAsConfigured, !hasCategory { return }
        let buttons = buttons(of: candidate, record)
        // Only then is the content its own.
        if buttons != candidate.content.buttons { candidate.content.buttons = buttons }
    }

    private func fire(_ candidate: Candidate, _ outcome: Outcome, _ moment: Moment, into effects: inout Effects) {
        let action = candidate.campaign.campaign.onFire
        let isProvided = action.map { catalog.actions[$0.type] != nil } ?? true
        moment.record.geotriggers.append(
            SubjectRecord.HistoryEntry(
                notification: nil, notice: candidate.notice, sentAt: moment.now, openedAt: isProvided ? moment.now : nil
            ))
        moment.record.geotriggers.keepLast(catalog.configuration.historyLimit)
        effects.add(
            .fired(
                Decision.Fired(
                    origin: candidate.origin, data: candidate.content.data,
                    handled: action == nil ? true : isProvided ? nil : false, observed: outcome.observed(scope.answers))
            ),
            moment)
        guard let action else { return }
        let invocation = Decision.Invocation(
            campaign: candidate.campaign.campaign.id, action: action.members,
            payload: candidate.origin.payload(candidate.content))
        invoke(invocation, moment, into: &effects)
    }

    /// Takes back that a geotrigger was handled: its handler did not take it.
    ///
    /// Plot Projects, geotrigger handler: those that it does not return are not marked handled.
    public func markUnhandled(_ campaign: String, firedAt time: Instant, in record: SubjectRecord) {
        let last = record.geotriggers.lastIndex {
            $0.campaign == campaign && $0.sentAt == time && $0.openedAt != nil
        }
        if let last { record.geotriggers[last].openedAt = nil }
    }
}

extension Candidate {
    fileprivate var isDeletedOnExit: Bool { lentRegion != nil && campaign.campaign.deleteOn == .exit }
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

extension Array {
    fileprivate mutating func keepLast(_ limit: Int) {
        if count > limit { removeFirst(count - limit) }
    }
}
