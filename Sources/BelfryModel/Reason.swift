/// Why a rule does not allow something, and when it would.
public struct Reason: Sendable, Hashable {
    /// A short word for machines; nil stands for the name of the strategy.
    public var code: String?
    /// One sentence for people.
    public var message: String
    /// The first instant at which this rule would allow; nil if there is none, or none that it knows.
    public var until: Instant?

    public init(code: String? = nil, message: String, until: Instant? = nil) {
        self.code = code
        self.message = message
        self.until = until
    }
}
