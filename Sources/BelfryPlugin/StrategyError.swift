/// Something of a plugin failed; one sentence says what, why, and what to do.
public struct StrategyError: Error, Hashable, CustomStringConvertible {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public var description: String { message }
}
