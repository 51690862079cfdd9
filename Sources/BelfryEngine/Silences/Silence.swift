import BelfryModel

/// Keeps some notifications quiet for a while, whatever the chain would say (docs/silences.md).
///
/// A catalog takes those of the configuration in their order; a host that makes silences at run time appends its own to them.
public struct Silence: Sendable {
    public var id: String
    /// All of them hold for what it silences; at least one does not hold for what is missing.
    public var matchers: [SilenceMatcher]
    /// The first instant at which it holds; nil: it always did.
    public var from: Instant?
    /// The first instant at which it holds no longer; nil: it always will.
    public var until: Instant?
    public var comment: String?
    /// Who made it.
    public var by: String?
    /// When it was made, or changed last; nil if that is not kept.
    public var updated: Instant?

    public init(id: String, matchers: [SilenceMatcher], from: Instant? = nil, until: Instant? = nil) {
        (self.id, self.matchers, self.from, self.until) = (id, matchers, from, until)
    }

    /// Whether it is in force then.
    public func isActive(at instant: Instant) -> Bool {
        from.map { $0 <= instant } ?? true && until.map { instant < $0 } ?? true
    }

    /// One sentence for people.
    var message: String {
        "'\(id)' silences it" + (until.map { " until \($0)" } ?? "") + (comment.map { ": \($0)" } ?? "")
            + (by.map { " (\($0))" } ?? "")
    }
}

extension Silence {
    /// Why it makes no sense; nil if it does.
    public var fault: SilenceMatcher.Fault? {
        if let from, let until, from >= until {
            return SilenceMatcher.Fault(
                found: "a silence from \(from) until \(until)", expected: "an end after its beginning",
                fix: "exchange them, or leave one out")
        }
        if matchers.allSatisfy(\.holdsForNothing) {
            return SilenceMatcher.Fault(
                found: matchers.isEmpty
                    ? "no matcher" : "matchers that all hold for what is missing",
                expected: "at least one matcher that does not match the empty text",
                fix: "say what is to be silent, such as campaign=~\".+\" for everything")
        }
        return nil
    }
}
