import BelfryJournal
import BelfryModel

/// A cursor in the decisions of a journal, as text that clients treat as opaque.
public struct DecisionCursor: Sendable, Hashable {
    /// How many decisions come before it.
    public let number: UInt64
    /// What tells its journal from others, in which other decisions have these numbers.
    public let series: String

    public init(number: UInt64, series: String) { (self.number, self.series) = (number, series) }

    /// Nil if no belfry gave that text.
    public init?(_ text: String) {
        let parts = text.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
        guard text.hasPrefix("d"), parts.count == 2, let number = UInt64(parts[0], radix: 16), !parts[1].isEmpty,
            parts[1].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        self.init(number: number, series: String(parts[1]))
        guard self.text == text else { return nil }
    }

    public var text: String { "d\(String(number, radix: 16))-\(series)" }
}

extension Journal {
    /// Behind so many decisions.
    package func cursor(_ number: UInt64) -> DecisionCursor { DecisionCursor(number: number, series: series) }
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
