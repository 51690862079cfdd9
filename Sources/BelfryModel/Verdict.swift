/// What a strategy answers when it is asked whether something may happen.
public enum Verdict: Sendable, Hashable {
    /// Not my question.
    case abstain
    case allow
    case deny(Reason)
    /// Not now: ask the whole chain again at the reason's `until`, which is always there.
    case `defer`(Reason)
    /// Keep it, with others, until the reason's `until`, which is always there, and ask the whole chain again then.
    case collect(Reason)
    /// Where it would be created, tell the entries that it was, and do not show it.
    case withhold(Reason)
    /// The check itself failed; one sentence says how.
    case fault(String)
}

extension Verdict {
    /// Denies with one sentence. Without a `code` the name of the strategy stands for it.
    public static func deny(_ message: String, code: String? = nil, until: Instant? = nil) -> Verdict {
        .deny(Reason(code: code, message: message, until: until))
    }

    /// Defers with one sentence, until the whole chain is to be asked again.
    public static func `defer`(_ message: String, code: String? = nil, until: Instant) -> Verdict {
        .defer(Reason(code: code, message: message, until: until))
    }

    /// Collects with one sentence, until the digest closes.
    public static func collect(_ message: String, code: String? = nil, until: Instant) -> Verdict {
        .collect(Reason(code: code, message: message, until: until))
    }

    /// Withholds with one sentence.
    public static func withhold(_ message: String, code: String? = nil) -> Verdict {
        .withhold(Reason(code: code, message: message))
    }

    /// The reason of what is neither yes nor a failure.
    public var reason: Reason? {
        switch self {
        case .deny(let reason), .defer(let reason), .collect(let reason), .withhold(let reason): reason
        case .abstain, .allow, .fault: nil
        }
    }
}
