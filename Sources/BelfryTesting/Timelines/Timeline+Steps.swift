import BelfryModel

// MARK: What happens

extension Timeline.Step {
    /// - Parameter time: as in the text form: `10:00`, `+1h30m`, `2026-03-02T10:00:00Z`.
    public static func at(_ time: String) -> Self { Self(time: time, event: .wait) }

    /// At the time of the step before.
    public static var next: Self { Self(event: .wait) }

    public func request(_ campaign: String? = nil, data: KeyValuePairs<String, Value> = [:]) -> Self {
        with(.request(campaign, data: Fields(data)))
    }

    public func delete(_ campaign: String? = nil) -> Self { with(.delete(campaign)) }

    public func open(_ notification: String? = nil, button: String? = nil) -> Self {
        with(.open(notification, button: button))
    }

    public func enter(_ region: String? = nil) -> Self { with(.enter(region)) }
    public func exit(_ region: String? = nil) -> Self { with(.exit(region)) }

    public func send(_ type: String, data: KeyValuePairs<String, Value> = [:]) -> Self {
        with(.send(type, data: Fields(data)))
    }

    public func user(_ attributes: KeyValuePairs<String, Value>) -> Self { with(.user(Fields(attributes))) }
    public func channel(_ attributes: KeyValuePairs<String, Value>) -> Self { with(.channel(Fields(attributes))) }
    public func zone(_ name: String) -> Self { with(.zone(name)) }
    public func foreground() -> Self { with(.foreground) }
    public func background() -> Self { with(.background) }
    public func reset() -> Self { with(.reset) }
    public func subject(_ name: String) -> Self { with(.subject(name)) }
    public func others(deny: Bool) -> Self { with(.others(deny: deny)) }
    public func parameters(_ parameters: KeyValuePairs<String, Value>) -> Self { with(.parameters(Fields(parameters))) }
    public func saveAndLoad() -> Self { with(.saveAndLoad) }

    private func with(_ event: Timeline.Event) -> Self {
        var step = self
        step.event = event
        return step
    }
}

// MARK: What comes of it

extension Timeline.Step {
    public func created() -> Self { expecting(.created) }

    public func denied(_ code: String? = nil, until: String? = nil, message: String? = nil) -> Self {
        expecting(.denied, code, until, message)
    }

    public func deferred(_ code: String? = nil, until: String? = nil, message: String? = nil) -> Self {
        expecting(.deferred, code, until, message)
    }

    public func deleted() -> Self { expecting(.deleted) }

    public func kept(_ code: String? = nil, until: String? = nil, message: String? = nil) -> Self {
        expecting(.kept, code, until, message)
    }

    public func faulted(message: String? = nil) -> Self { expecting(.faulted, nil, nil, message) }
    public func notAsked() -> Self { expecting(.notAsked) }

    /// Nothing at all is to come of it.
    public func nothing() -> Self {
        var step = self
        step.expected = []
        return step
    }

    /// Several in a row are as many outcomes of one step.
    private func expecting(
        _ kind: Timeline.Result.Kind, _ code: String? = nil, _ until: String? = nil, _ message: String? = nil
    ) -> Self {
        var step = self
        step.expected = (expected ?? []) + [.init(kind: kind, code: code, until: until, message: message)]
        return step
    }
}

extension Fields {
    init(_ pairs: KeyValuePairs<String, Value>) { self.init(pairs.map { ($0.key, $0.value) }) }
}
