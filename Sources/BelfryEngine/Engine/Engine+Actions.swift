import BelfryModel

extension Engine {
    /// Leaves an action for the host to run, and records the analytics event of a built-in type that a plugin provides.
    func invoke(_ invocation: Decision.Invocation, _ moment: borrowing Moment, into effects: inout Effects) {
        effects.add(.invoked(invocation), moment)
        guard catalog.actions[invocation.type] != nil else {
            effects.warnings.append("no plugin provides the action type '\(invocation.type)'")
            return
        }
        // IBM MCE: the events are the core's, also when a plugin overrides the type.
        guard let name = Self.eventNames[invocation.type] else { return }
        var attributes = Fields()
        attributes["notification"] = invocation.notification.map { .text($0) }
        attributes["campaign"] = invocation.campaign.map { .text($0) }
        attributes["value"] = invocation.action["value"]
        record("simpleNotification", name, attributes, moment, into: &effects)
    }

    private static let eventNames = ["url": "urlClicked", "openApp": "appOpened", "dial": "phoneNumberClicked"]

    /// The user tapped the notification or one of its buttons: recorded before any handler runs (docs/decisions.md).
    func open(_ notification: String, button: String?, _ moment: borrowing Moment, into effects: inout Effects) {
        guard let id = SubjectRecord.parts(of: notification) else { return }
        let button = moment.record.channel(for: moment.channel)?.showsButtons ?? true ? button : nil
        let firstOpenedAt = moment.record.open(notification, at: moment.now)
        effects.add(.opened(notification: notification, button: button, firstOpenedAt: firstOpenedAt), moment)

        recall(notification, of: id.campaign, moment)
        tellOpened(moment, into: &effects)
        let candidate = scope.candidate
        guard let action = action(on: candidate, button: button) else { return }
        let payload = candidate.origin.payload(candidate.content, notification: notification, button: button)
        invoke(
            Decision.Invocation(notification: notification, action: action, payload: payload), moment, into: &effects)
    }

    /// The notification as it was created: as long as it is current or in the history, that is known; after that the
    /// configuration has to stand in.
    func recall(_ notification: String, of campaign: String, _ moment: borrowing Moment) {
        if let current = moment.record.current(notification) { return become(current) }
        let entry = moment.record.historyEntry(of: notification)
        let trigger = trigger(of: Decision.Origin(campaign: campaign, trigger: entry?.trigger, region: entry?.region))
        let region = entry?.region.flatMap { catalog.regionByID[$0] }
        var ignored = Effects()
        // The channel it was created for: the counter of `per: channel` is that one's.
        scope.candidate.become(
            trigger, region: region, channel: entry == nil ? moment.channel : entry?.channel,
            notification: notification)
        scope.candidate.take(
            SubjectRecord.Asked(eventData: entry?.eventData),
            entry?.content ?? trigger.campaign.content
                ?? content(of: trigger.campaign, in: region, nil, into: &ignored))
        if entry == nil { scope.candidate.content.buttons = buttons(of: scope.candidate, moment.record) }
    }

    private func tellOpened(_ moment: borrowing Moment, into effects: inout Effects) {
        scope.begin(moment, hasCandidate: true, texts: effects.texts)
        if assigner != nil { assignVariants(moment) }
        scope.forEachApplicable { step, counter in
            guard let hook = step.pointee.strategy?.pointee.on_opened else { return }
            scope.tell(step.pointee.plan, counter, .onOpened) { state, error in
                hook(step.pointee.instance, state, scope.cCandidate(counter: counter), scope.cContext, error)
            }
        }
        scope.endStates()
        reportFaults(moment, into: &effects)
    }

    /// The button's action if a button is given, else `onOpen`, else what the handler stands for.
    private func action(on candidate: Candidate, button: String?) -> Fields? {
        let content = candidate.content
        if let button { return self.button(button, of: content)?["action"]?.map }
        if let action = candidate.campaign.campaign.onOpen,
            content.handler != Configuration.Handler.landingPage.rawValue
        {
            return action.members
        }
        switch content.handler {
        case "none": return nil
        case "action": return content.data?.map
        default: return content.data.map { Fields([("type", .text(content.handler)), ("value", $0)]) }
        }
    }
}
