/// A strategy that hears what became of notifications on their way: `notification.delivered` and `notification.failed`.
///
/// It hears of notifications that are current or in the history, once for each counter that applies.
public protocol ReceiptListening: Strategy {
    /// A receipt came. It may come again, from the same sink or another one.
    func onReceipt(
        _ receipt: Receipt, of candidate: Candidate, state: inout State, context: Context
    ) throws(StrategyError)
}

/// What a sink says of a notification.
public struct Receipt: Sendable {
    public enum Outcome: Sendable, Hashable {
        case delivered
        /// It was given up, with a sentence that says why; empty if the sink does not.
        case failed(String)
    }

    /// Nil: something that this kit does not know.
    public let outcome: Outcome?
    /// Which sink that was; nil if that is not known.
    public let sink: String?
    /// When the notification was created.
    public let createdAt: Instant
}
