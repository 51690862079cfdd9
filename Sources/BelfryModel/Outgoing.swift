/// Something about a subject that a server of the app wants to know: what is forwarded (docs/forwarding.md).
public struct Outgoing: Sendable, Hashable {
    public var subject: String
    /// The device it happened on.
    public var channel: String?
    /// When it happened. IBM MCE: an event that had to wait keeps its own time, so also a late one.
    public var time: Instant
    /// The signal behind it; for a timer, the signal that armed it.
    public var cause: String
    public var body: Body

    public enum Body: Sendable, Hashable {
        /// What `event.recorded` says, or a custom event: type `custom`, the signal's type as its name.
        case event(type: String, name: String, attributes: Fields)
        /// As the signal said it, null included.
        case attributesSet(Signal.Scope, Fields)
        case attributesUpdated(Signal.Scope, Fields)
        case attributesDeleted(Signal.Scope, [String])
    }

    public init(subject: String, channel: String? = nil, time: Instant, cause: String, body: Body) {
        self.subject = subject
        self.channel = channel
        self.time = time
        self.cause = cause
        self.body = body
    }
}
