import BelfryModel

extension StrategyTest {
    /// What came of trying to create a notification.
    public enum Attempt: Sendable, Hashable {
        /// The strategy allowed it, or abstained: `verdict` of the test says which.
        case created
        case denied(Reason)
        /// It will be asked again at the reason's `until`.
        case deferred(Reason)
        /// A digest took it, which closes at the reason's `until`.
        case collected(Reason)
        /// The entries were told that it was created, and it is not shown.
        case withheld(Reason)
        /// The check failed; one sentence says how.
        case faulted(String)
        /// The strategy had no part in it: it has no parameters here, it is off, or there is nothing it counts by.
        case notAsked

        public var isCreated: Bool { self == .created }

        /// Of what was not created.
        public var reason: Reason? {
            switch self {
            case .denied(let reason), .deferred(let reason), .collected(let reason), .withheld(let reason): reason
            case .created, .faulted, .notAsked: nil
            }
        }

        public var message: String? { reason?.message }
        public var until: Instant? { reason?.until }
    }

    /// What came of trying to delete a notification.
    public enum Deletion: Sendable, Hashable {
        case deleted
        /// It was denied; the notification is asked about again at the next occasion.
        case kept(Reason)

        public var isDeleted: Bool { self == .deleted }
    }
}

extension StrategyTest.Attempt: CustomStringConvertible {
    /// One line, good to compare with: `denied (cooldown) until 2026-03-02T10:00:00Z: the last one was …`.
    public var description: String {
        switch self {
        case .created: "created"
        case .denied(let reason): "denied \(reason.text)"
        case .deferred(let reason): "deferred \(reason.text)"
        case .collected(let reason): "collected until \(reason.until?.description ?? ""): \(reason.message)"
        case .withheld(let reason): "withheld \(reason.text)"
        case .faulted(let message): "faulted: \(message)"
        case .notAsked: "not asked"
        }
    }
}

extension StrategyTest.Deletion: CustomStringConvertible {
    public var description: String {
        switch self {
        case .deleted: "deleted"
        case .kept(let reason): "kept \(reason.text)"
        }
    }
}

extension StrategyTest.Attempt {
    /// Nil for a decision that is about something else.
    init?(_ body: Decision.Body) {
        switch body {
        case .created, .fired: self = .created
        case .suppressed(let refused): self.init(refused.reasons) { .denied($0) }
        case .deferred(let refused): self.init(refused.reasons) { .deferred($0) }
        case .collected(let collected):
            self = .collected(Reason(message: "\(collected.items) so far", until: collected.until))
        case .withheld(let withheld): self.init(withheld.reasons) { .withheld($0) }
        default: return nil
        }
    }

    private init(_ denials: [Decision.Denial], as attempt: (Reason) -> Self) {
        let denial = denials.longest
        self = denial.code == "fault" ? .faulted(denial.message) : attempt(denial.reason)
    }
}

extension StrategyTest.Deletion {
    /// Nil for a decision that is about something else.
    init?(_ body: Decision.Body) {
        switch body {
        case .deleted: self = .deleted
        case .kept(_, _, let reasons): self = .kept(reasons.longest.reason)
        default: return nil
        }
    }
}

extension [Decision.Denial] {
    /// With `per: group` there can be several: the one that takes longest speaks for all.
    fileprivate var longest: Decision.Denial {
        // A refusal has at least one reason.
        self.max { ($0.until?.milliseconds ?? .max) < ($1.until?.milliseconds ?? .max) }!
    }
}

extension Decision.Denial {
    fileprivate var reason: Reason { Reason(code: code, message: message, until: until) }
}

extension Reason {
    fileprivate var text: String {
        "(\(code ?? ""))" + (until.map { " until \($0)" } ?? "") + ": \(message)"
    }
}

extension Verdict {
    var text: String {
        switch self {
        case .abstain: "abstain"
        case .allow: "allow"
        case .deny(let reason): "deny \(reason.text)"
        case .defer(let reason): "defer \(reason.text)"
        case .collect(let reason): "collect \(reason.text)"
        case .withhold(let reason): "withhold \(reason.text)"
        case .fault(let message): "fault: \(message)"
        }
    }
}
