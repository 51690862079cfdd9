import BelfryModel

/// A line of input that is not processed, and why (docs/signals.md, bad input).
public struct SignalReject: Error, Sendable, Hashable {
    public enum Code: String, Sendable, CaseIterable {
        case invalidJSON = "invalid-json"
        case missingAttribute = "missing-attribute"
        case invalidAttribute = "invalid-attribute"
        case unknownRegion = "unknown-region"
        case unknownCampaign = "unknown-campaign"
        case unknownNotification = "unknown-notification"
        case unknownZone = "unknown-zone"
        case lineTooLong = "line-too-long"
        case fromTheFuture = "from-the-future"
    }

    public var code: Code
    /// One sentence: what is wrong and what would be right.
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package static let tooLong = SignalReject(
        .lineTooLong, "the line is longer than 1 MiB; its beginning is in 'input'")

    static func missing(_ name: String, _ why: String) -> SignalReject {
        SignalReject(.missingAttribute, "'\(name)' is missing: \(why)")
    }

    static func invalid(_ name: String, found value: Value, expected: String) -> SignalReject {
        SignalReject(.invalidAttribute, "'\(name)' is \(value.quotedInShort); expected \(expected)")
    }

    init(_ malformation: Signal.Category.Malformation) {
        self.init(.invalidAttribute, malformation.sentence(below: "data"))
    }
}
