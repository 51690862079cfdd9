import BelfryEngine
import BelfryModel

extension FilterTest {
    /// Moves the clock to an instant, written as RFC 3339.
    public func move(to time: String) throws(Failure) { now = try StrategyTest.instant(time) }

    /// Replaces all attributes of the user.
    public func set(user attributes: KeyValuePairs<String, Value>) throws(Failure) {
        try process(.attributesSet(.user, Fields(attributes.map { ($0.key, $0.value) })), "attributes.set")
    }

    /// Replaces all attributes of the device, `channel`, save the automatic ones.
    public func set(channel attributes: KeyValuePairs<String, Value>) throws(Failure) {
        try process(.attributesSet(.channel, Fields(attributes.map { ($0.key, $0.value) })), "attributes.set")
    }

    /// Asks for a notification of a campaign, with texts and data in place of the campaign's own.
    @discardableResult
    public func request(
        _ campaign: String? = nil, title: String? = nil, message: String? = nil, data: Value? = nil
    ) throws(Failure) -> Outcome {
        let campaign = campaign ?? configuration.campaigns.first?.id ?? ""
        let request = Signal.Request(campaign: campaign, title: title, message: message, data: data)
        return try apply(.requested(request), "notification.requested").first ?? .notAsked
    }

    /// The subject enters a region, and leaves it again.
    ///
    /// - Returns: what came of each campaign, in their order.
    @discardableResult
    public func enter(_ region: String? = nil) throws(Failure) -> [Outcome] {
        let region = region ?? configuration.regions.first?.id ?? ""
        let outcomes = try apply(.entered(region: region), "region.entered")
        try process(.exited(region: region), "region.exited")
        return outcomes
    }

    /// Any other event, for triggers on it that `configure` added.
    @discardableResult
    public func send(_ type: String, data: Value? = nil) throws(Failure) -> [Outcome] {
        try apply(.custom, type, data: data)
    }

    /// One outcome for each candidate; those that the filter had no part in are `notAsked`.
    private func apply(_ event: Signal.Event, _ type: String, data: Value? = nil) throws(Failure) -> [Outcome] {
        let calls = watch.calls
        let outcomes = try process(event, type, data: data).compactMap { Outcome($0.body) }
        return watch.calls > calls ? outcomes : outcomes.map { _ in .notAsked }
    }

    @discardableResult
    private func process(_ event: Signal.Event, _ type: String, data: Value? = nil) throws(Failure) -> [Decision] {
        let signal = Signal(
            subject: record.subject, channel: channel, time: now, cause: type, type: type, event: event, data: data)
        var effects = Effects()
        effects.begin(record.subject)
        do throws(SignalFault) {
            _ = try engine.decide(signal, on: &record, passed: .distantPast, into: &effects)
        } catch {
            throw .refused(error)
        }
        note(effects.warnings)
        if let impurity = watch.impurity { throw .impure(filter: name, impurity) }
        return effects.decisions
    }
}
