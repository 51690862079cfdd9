import BelfryEngine
import BelfryModel

/// A cursor in the decisions of a journal, as text that clients treat as opaque.
public struct DecisionCursor: Sendable, Hashable {
    /// How many decisions come before it.
    public let number: UInt64

    public init(number: UInt64) { self.number = number }

    /// Nil if no belfry gave that text.
    public init?(_ text: String) {
        guard text.hasPrefix("d"), let number = UInt64(text.dropFirst(), radix: 16), Self(number: number).text == text
        else { return nil }
        self.number = number
    }

    public var text: String { "d" + String(number, radix: 16) }
}

/// Which decisions a reader wants.
public struct DecisionFilter: Sendable {
    public var subject: String?
    public var campaign: String?
    public var type: String?

    public init(subject: String? = nil, campaign: String? = nil, type: String? = nil) {
        (self.subject, self.campaign, self.type) = (subject, campaign, type)
    }

    public func takes(_ item: DecisionFeed.Item) -> Bool {
        if subject == nil, campaign == nil, type == nil { return true }
        let decision = item.decision
        let wanted = [
            (subject, decision["subject"]?.text), (campaign, decision.decisionCampaign), (type, decision["type"]?.text),
        ]
        return wanted.allSatisfy { wanted, found in wanted.map { found?.isSameText(as: $0) == true } ?? true }
    }
}
