import BelfryModel

extension Engine {
    /// Leaves an action for the host to run, and records the analytics event of a built-in type that somebody provides.
    func invoke(_ invocation: Decision.Invocation, _ moment: Moment, into effects: inout Effects) {
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
    func open(_ notification: String, button: String?, _ moment: Moment, into effects: inout Effects) {
        guard let id = SubjectRecord.parts(of: notification) else { return }
        let record = moment.record
        let button = record.channel(for: moment.channel)?.showsButtons ?? true ? button : nil
        let firstOpenedAt = record.open(id, at: moment.now)
        effects.add(.opened(notification: notification, button: button, firstOpenedAt: firstOpenedAt), moment)

        let candidate = opened(notification, of: id.campaign, moment)
        tellOpened(candidate, moment)
        guard let action = action(on: candidate, button: button) else { return }
        let payload = candidate.origin.payload(candidate.content, notification: notification, button: button)
        invoke(
            Decision.Invocation(notification: notification, action: action, payload: payload), moment, into: &effects)
    }

    /// The notification as it was created: as long as it is current or in the history, that is known; after that the
    /// configuration has to stand in.
    private func opened(_ notification: String, of campaign: String, _ moment: Moment) -> Candidate {
        let record = moment.record
        if let current = record.current(notification) {
            return candidate(for: current, moment)
        }
        let entry = record.notifications.last { $0.notification == notification }
        let trigger = trigger(of: Decision.Origin(campaign: campaign, trigger: entry?.trigger, region: entry?.region))
        let region = entry?.region.flatMap { catalog.regionByID[$0] }
        var ignored = Effects()
        // The channel it was created for: the counter of `per: channel` is that one's.
        let candidate = Candidate(
            trigger, region: region, channel: entry?.channel ?? moment.channel,
            asked: SubjectRecord.Asked(eventData: entry?.eventData), notification: notification,
            content: entry?.content ?? self.candidate(trigger, in: region, moment, into: &ignored).content)
        if entry == nil { candidate.content.buttons = buttons(of: candidate, record) }
        return candidate
    }

    private func tellOpened(_ candidate: Candidate, _ moment: Moment) {
        scope.begin(moment.record, at: moment.now, channel: moment.lentChannel, candidate: candidate)
        for step in candidate.steps.places {
            guard let table = step.pointee.strategy, let hook = table.pointee.on_opened else { continue }
            scope.forApplication(of: step, to: candidate) { counter in
                moment.record.withState(of: step.pointee.entry, table, counter: counter, scope) { state in
                    hook(step.pointee.pointer, state, scope.cCandidate(counter: counter), scope.cContext)
                }
            }
        }
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
