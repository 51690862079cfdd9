import BelfryModel

extension Configuration {
    /// Where attribute changes and analytics events are forwarded to, and when.
    public struct Forward: Sendable, Hashable {
        /// http or https.
        public var url: String
        /// How many items go at once at most. IBM MCE leaves size and age open.
        public var batch = 100
        /// How long an item waits for company at most.
        public var every = Duration.seconds(60)
        /// Every item leaves as soon as it is committed. IBM MCE: the flag of an event that is sent right away.
        public var immediate = false
        public var attributes = Attributes.all
        /// How long one attempt may take.
        public var timeout = Duration.seconds(30)
        /// Sent with every request. `${NAME}` in a value is a variable of the environment.
        public var headers: [Header] = []

        public struct Header: Sendable, Hashable {
            public var name: String
            public var value: String

            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// Which attribute changes are forwarded. IBM MCE: with Silverpop, those of users only.
        public enum Attributes: String, Sendable, CaseIterable {
            case all, user, none
        }

        public init(url: String) {
            self.url = url
        }
    }
}

extension Configuration.Forward.Attributes {
    func includes(_ scope: Signal.Scope) -> Bool {
        switch self {
        case .all: true
        case .user: scope == .user
        case .none: false
        }
    }
}
