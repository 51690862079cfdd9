import BelfryModel

extension Engine {
    /// Leaves what a signal itself says for the host to forward: attribute changes and custom events.
    func forward(_ signal: Signal, _ moment: borrowing Moment, into effects: inout Effects) {
        switch signal.event {
        case .attributesSet(let scope, let values): forward(.attributesSet(scope, values), moment, into: &effects)
        case .attributesUpdated(let scope, let values):
            forward(.attributesUpdated(scope, values), moment, into: &effects)
        case .attributesDeleted(let scope, let keys): forward(.attributesDeleted(scope, keys), moment, into: &effects)
        case .custom:
            let attributes = signal.data?.map ?? Fields()
            forward(.event(type: "custom", name: signal.type, attributes: attributes), moment, into: &effects)
        default: break
        }
    }

    /// Records an analytics event: a decision, and something to forward.
    func record(
        _ type: String, _ name: String, _ attributes: Fields, _ moment: borrowing Moment, into effects: inout Effects
    ) {
        effects.add(.recorded(type: type, name: name, attributes: attributes), moment)
        forward(.event(type: type, name: name, attributes: attributes), moment, into: &effects)
    }

    private func forward(_ body: Outgoing.Body, _ moment: borrowing Moment, into effects: inout Effects) {
        guard let forward, forward.takes(body) else { return }
        effects.outgoing.append(
            Outgoing(
                subject: effects.subject, channel: moment.channel, time: moment.time, cause: moment.cause,
                body: body))
    }
}

extension Configuration.Forward {
    fileprivate func takes(_ body: Outgoing.Body) -> Bool {
        switch body {
        case .event: true
        case .attributesSet(let scope, _), .attributesUpdated(let scope, _), .attributesDeleted(let scope, _):
            attributes.includes(scope)
        }
    }
}
