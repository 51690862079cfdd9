extension Decision {
    /// What kind of decision it is; the raw value is its CloudEvents `type`.
    public enum Kind: String, Sendable, CaseIterable, BitwiseCopyable {
        case created = "notification.created"
        case suppressed = "notification.suppressed"
        case deferred = "notification.deferred"
        case deleted = "notification.deleted"
        case kept = "notification.kept"
        case opened = "notification.opened"
        case fired = "geotrigger.fired"
        case invoked = "action.invoked"
        case recorded = "event.recorded"
        case faulted = "strategy.faulted"
        case collected = "notification.collected"
        case withheld = "notification.withheld"
        case exposed = "experiment.exposed"

        /// Its place among all kinds.
        @inlinable public var index: Int {
            switch self {
            case .created: 0
            case .suppressed: 1
            case .deferred: 2
            case .deleted: 3
            case .kept: 4
            case .opened: 5
            case .fired: 6
            case .invoked: 7
            case .recorded: 8
            case .faulted: 9
            case .collected: 10
            case .withheld: 11
            case .exposed: 12
            }
        }
    }
}

extension Decision.Body {
    public var kind: Decision.Kind {
        switch self {
        case .created: .created
        case .suppressed: .suppressed
        case .deferred: .deferred
        case .deleted: .deleted
        case .kept: .kept
        case .opened: .opened
        case .fired: .fired
        case .invoked: .invoked
        case .recorded: .recorded
        case .faulted: .faulted
        case .collected: .collected
        case .withheld: .withheld
        case .exposed: .exposed
        }
    }
}
