/// Which strategies a strategy wants to stand before or after in a chain. Names that the chain lacks are ignored.
public struct Order: Sendable {
    public var before: [String]
    public var after: [String]
    /// Why, in one sentence; shown when a chain goes against it.
    public var reason: String?

    public init(before: [String] = [], after: [String] = [], reason: String? = nil) {
        self.before = before
        self.after = after
        self.reason = reason
    }
}
