import BelfryModel

extension Engine {
    /// Leaves an action for the host to run, and records the analytics event of a built-in type that somebody provides.
    func invoke(_ invocation: Decision.Invocation, _ moment: Moment, into effects: inout Effects) {
        effects.add(.invoked(invocation), moment)
        guard catalog.actionTypes.contains(invocation.type) else {
            effects.warnings.append("no plugin provides the action type '\(invocation.type)'")
            return
        }
        // IBM MCE: the events are the core's, also when a plugin overrides the type.
        guard let name = Self.eventNames[invocation.type] else { return }
        var attributes = Fields()
        attributes["notification"] = invocation.notification.map { .text($0) }
        attributes["campaign"] = invocation.campaign.map { .text($0) }
        attributes["value"] = invocation.action["value"]
        effects.add(.recorded(type: "simpleNotification", name: name, attributes: attributes), moment)
    }

    private static let eventNames = ["url": "urlClicked", "openApp": "appOpened", "dial": "phoneNumberClicked"]

    /// The user tapped the notification or one of its buttons: recorded before any handler runs (CONTRACT section 5).
    func open(_ notification: String, button: String?, _ moment: Moment, into effects: inout Effects) {
        guard let (campaign, _) = SubjectRecord.parts(of: notification) else { return }
        let record = moment.record
        let index = record.notifications.lastIndex { $0.notification == notification }
        let firstOpenedAt = index.flatMap { record.notifications[$0].openedAt } ?? moment.now
        if let index { record.notifications[index].openedAt = firstOpenedAt }

        let showsButtons = record.channel(for: moment.channel)?.showsButtons ?? true
        let button = showsButtons ? button : nil
        effects.add(.opened(notification: notification, button: button, firstOpenedAt: firstOpenedAt), moment)

        let entry = index.map { record.notifications[$0] }
        let candidate = opened(notification, of: campaign, entry, moment)
        tellOpened(candidate, moment)
        guard let action = action(on: candidate, button: button) else { return }
        let payload = candidate.origin.payload(candidate.content, notification: notification)
        invoke(Decision.Invocation(notification: notification, action: action, payload: payload), moment, into: &effects)
    }

    /// The notification as a candidate: what the history kept of it, else what the configuration says.
    private func opened(
        _ notification: String, of campaign: String, _ entry: SubjectRecord.HistoryEntry?, _ moment: Moment
    ) -> Candidate {
        let origin = Decision.Origin(campaign: campaign, trigger: entry?.trigger, region: entry?.region)
        var ignored = Effects()
        let trigger = trigger(of: origin)
        let region = origin.region.flatMap { catalog.regionByID[$0] }
        let asked = moment.record.current.first { $0.notification == notification }?.eventData
        let content = entry?.content ?? self.candidate(trigger, in: region, moment, into: &ignored).content
        return Candidate(
            trigger, region: region, channel: moment.channel, cause: moment.cause, asked: SubjectRecord.Asked(eventData: asked),
            notification: notification, content: content)
    }

    private func tellOpened(_ candidate: Candidate, _ moment: Moment) {
        scope.begin(moment.record, at: moment.now, channel: moment.channel, candidate: candidate)
        let chain = Chain(catalog: catalog, scope: scope, record: moment.record, candidate: candidate)
        for entry in catalog.chain {
            guard let table = entry.strategy, let hook = table.pointee.on_opened else { continue }
            for (instance, counter) in chain.applications(of: entry) {
                // A state that cannot be loaded is reported when the entry is asked; it is not touched here.
                guard let state = try? moment.record.state(of: entry, table, counter: counter, scope) else { continue }
                hook(instance.pointer, state, scope.cCandidate(counter: counter), scope.cContext)
            }
        }
    }

    /// The button's action if a button is given, else `onOpen`, else what the handler stands for.
    private func action(on candidate: Candidate, button: String?) -> Fields? {
        let content = candidate.content
        if let button {
            let buttons = content.buttons?.list ?? candidate.campaign.buttons.map(\.value)
            return buttons.lazy.compactMap(\.map).first { $0["id"]?.text == button }?["action"]?.map
        }
        if let action = candidate.campaign.campaign.onOpen, content.handler != Configuration.Handler.landingPage.rawValue {
            return action.members
        }
        switch content.handler {
        case "none": return nil
        case "action": return content.data?.map
        default: return content.data.map { Fields([("type", .text(content.handler)), ("value", $0)]) }
        }
    }
}
