import BelfryEngine
import BelfryModel

// MARK: Time

extension StrategyTest {
    /// Moves the clock; what was deferred until then is asked about again.
    ///
    /// - Returns: what came of that, in order of time.
    @discardableResult
    public func advance(by duration: Duration) throws(Failure) -> [Attempt] {
        try move(to: now + duration)
    }

    /// Moves the clock to a time, written as in a `Timeline`: `10:00`, `+1h30m`, `2026-03-02T10:00:00Z`.
    @discardableResult
    public func move(to time: String) throws(Failure) -> [Attempt] {
        guard let instant = Instant(time, after: now) else { throw .notATime(time) }
        return try move(to: instant)
    }

    /// Moves the clock, back too: then what follows is late, and happens at the subject's latest time.
    @discardableResult
    public func move(to instant: Instant) throws(Failure) -> [Attempt] {
        now = instant
        var effects = Effects()
        effects.begin(subject)
        _ = engine.tick(&record, to: now, into: &effects)
        return try finish(effects).compactMap { Attempt($0.body) }
    }
}

// MARK: Notifications

extension StrategyTest {
    /// Asks for a notification of a campaign.
    @discardableResult
    public func request(_ campaign: String? = nil, data: Value? = nil) throws(Failure) -> Attempt {
        let campaign = campaign ?? configuration.campaigns.first?.id ?? ""
        let questions = watch.questions
        let decisions = try process(
            .requested(.init(campaign: campaign, data: data)), "notification.requested", data: data)
        guard watch.questions > questions else { return .notAsked }
        return decisions.lazy.compactMap { Attempt($0.body) }.first ?? .notAsked
    }

    /// Asks for the deletion of a campaign's current notifications.
    ///
    /// - Returns: what came of it, for each of them, the oldest first; empty if none is current.
    @discardableResult
    public func delete(_ campaign: String? = nil) throws(Failure) -> [Deletion] {
        let campaign = campaign ?? configuration.campaigns.first?.id ?? ""
        return try process(.deletionRequested(campaign: campaign), "notification.requested").compactMap {
            Deletion($0.body)
        }
    }

    /// The user taps a notification, or one of its buttons.
    ///
    /// - Parameter notification: its id, such as `sale/1`; nil: the one created last.
    public func open(_ notification: String? = nil, button: String? = nil) throws(Failure) {
        guard let notification = notification ?? record.notifications.last?.notification else {
            throw .nothingCreated()
        }
        try process(.opened(notification: notification, button: button), "notification.opened")
    }

    /// The subject enters a region: each campaign is tried. Entering again while inside is nothing.
    ///
    /// - Returns: what came of it, by the order of campaigns; empty if nothing was tried or the strategy was not asked.
    @discardableResult
    public func enter(_ region: String? = nil) throws(Failure) -> [Attempt] {
        let questions = watch.questions
        let decisions = try process(.entered(region: region ?? firstRegion), "region.entered")
        return watch.questions > questions ? decisions.compactMap { Attempt($0.body) } : []
    }

    /// The subject leaves a region: what was created there is put up for deletion.
    ///
    /// - Returns: what came of that, for each of them.
    @discardableResult
    public func exit(_ region: String? = nil) throws(Failure) -> [Deletion] {
        try process(.exited(region: region ?? firstRegion), "region.exited").compactMap { Deletion($0.body) }
    }

    private var firstRegion: String { configuration.regions.first?.id ?? "" }
}

// MARK: The subject

extension StrategyTest {
    /// The user opens the app.
    ///
    /// - Throws: `Failure` if a hook of the strategy does what the contract rules out, such as a check that changes the state.
    public func foreground() throws(Failure) { try process(.foregrounded, "app.foregrounded") }

    /// The user leaves the app.
    ///
    /// - Throws: `Failure`, as `foreground`.
    public func background() throws(Failure) { try process(.backgrounded, "app.backgrounded") }

    /// Replaces all attributes of the user.
    public func set(user attributes: KeyValuePairs<String, Value>) throws(Failure) {
        try set(user: Fields(attributes))
    }

    func set(user attributes: Fields) throws(Failure) {
        try process(.attributesSet(.user, attributes), "attributes.set")
    }

    /// Replaces all attributes of the device, `channel`, save the automatic ones.
    public func set(channel attributes: KeyValuePairs<String, Value>) throws(Failure) {
        try set(channel: Fields(attributes))
    }

    func set(channel attributes: Fields) throws(Failure) {
        try process(.attributesSet(.channel, attributes), "attributes.set")
    }

    /// The device, `channel`, registers with its automatic attributes.
    public func register(timeZone: String? = nil, _ attributes: KeyValuePairs<String, Value> = [:]) throws(Failure) {
        var attributes = Fields(attributes)
        if let timeZone { attributes["timeZone"] = .text(timeZone) }
        try process(.deviceRegistered(attributes), "device.registered")
    }

    /// Any other event, for triggers on it that `configure` added.
    ///
    /// - Returns: what came of it.
    @discardableResult
    public func send(_ type: String, data: Value? = nil) throws(Failure) -> [Attempt] {
        let questions = watch.questions
        let decisions = try process(.custom, type, data: data)
        return watch.questions > questions ? decisions.compactMap { Attempt($0.body) } : []
    }

    /// A fresh install: everything about the subject is forgotten.
    public func reset() throws(Failure) { try process(.reset, "subject.reset") }
}

// MARK: The path of a signal, as the host goes it

extension StrategyTest {
    @discardableResult
    private func process(_ event: Signal.Event, _ type: String, data: Value? = nil) throws(Failure) -> [Decision] {
        let signal = Signal(
            subject: record.subject, channel: channel, time: now, cause: type, type: type, event: event, data: data)
        try move(to: now)
        var effects = Effects()
        effects.begin(subject)
        do throws(SignalFault) {
            _ = try engine.decide(signal, on: &record, passed: .distantPast, into: &effects)
        } catch {
            throw .refused(error)
        }
        return try finish(effects)
    }

    private func finish(_ effects: borrowing Effects) throws(Failure) -> [Decision] {
        decisions += effects.decisions
        if let impurity = watch.impurity { throw .impure(name, impurity) }
        if let untruth = watch.untruth { throw .untruthful(what, untruth) }
        if let loss = watch.loss { throw .forgetful(what, loss) }
        if let refusal = watch.refusal { throw .notMigrated(what, refusal) }
        if savesAfterEveryStep { try saveAndLoad() }
        return effects.decisions
    }
}
