import BelfryModel

extension Configuration {
    /// Where decisions are delivered to when they are durable (docs/sinks.md).
    public struct Sink: Sendable {
        public var id: String
        public var target: Target
        /// Which types of decisions it gets; nil: all.
        public var types: Set<String>?
        /// Which of them; nil: all. Held against type, subject, time, cause, data and campaign.
        public var when: Condition?
        public var rate: Rate?
        /// What has waited for longer is dropped, and told of.
        public var expires: Duration?
        /// How long one attempt may take.
        public var timeout = Duration.seconds(30)
        /// How many subjects it is given decisions of at once.
        public var concurrency = 16
        public var receipts = Receipts.failed
        /// As it is written, to see whether it has changed.
        public var document: Value = .null

        public init(id: String, target: Target) { (self.id, self.target) = (id, target) }
    }
}

extension Configuration.Sink {
    public enum Target: Sendable, Hashable {
        case webhook(Webhook)
        /// A program and its arguments: a decision per line in, an acknowledgement per line back.
        case exec([String])
        /// Lines are appended to it.
        case file(String)
        case ntfy(Ntfy)
        case desktop(Desktop)
        case webPush(WebPush)
        case plugin(Plugin)

        /// Nil for one of a plugin.
        public var kind: Kind? {
            switch self {
            case .webhook: .webhook
            case .exec: .exec
            case .file: .file
            case .ntfy: .ntfy
            case .desktop: .desktop
            case .webPush: .webPush
            case .plugin: nil
            }
        }

        /// As `type` names it.
        public var type: String {
            if case .plugin(let plugin) = self { plugin.type } else { kind?.rawValue ?? "" }
        }
    }

    /// What a sink is, as `type` names it.
    public enum Kind: String, Sendable, CaseIterable {
        case webhook, exec, file, ntfy, desktop
        case webPush = "web-push"

        /// Whether it may be given decisions of several subjects at once.
        public var isConcurrent: Bool { self == .webhook || self == .webPush }
    }

    /// What comes back as signals: `notification.delivered` and `notification.failed`.
    public enum Receipts: String, Sendable, CaseIterable {
        case none, failed, all
    }

    /// An address that takes decisions as Standard Webhooks has it.
    public struct Webhook: Sendable, Hashable {
        /// http or https.
        public var url: String
        /// One key, or two with a space between them while they are changed. `${NAME}` is a variable of the environment.
        public var secret: String?
        public var headers: [Configuration.Forward.Header] = []
        /// What is sent: a mapping or list with `{placeholders}` in its texts; nil: the decision as it is.
        public var body: Value?
        /// Networks that are not open and that it may be in, such as `127.0.0.0/8`.
        public var allow: [String] = []

        public init(url: String) { self.url = url }
    }

    /// A topic of ntfy.
    public struct Ntfy: Sendable, Hashable {
        /// http or https; the last part of its path is the topic.
        public var url: String
        /// `${NAME}` is a variable of the environment.
        public var token: String?
        public var allow: [String] = []

        public init(url: String) { self.url = url }
    }

    /// The desktop of the session that Belfry runs in.
    public struct Desktop: Sendable, Hashable {
        /// Of the application, as the desktop shows it.
        public var name = "belfry"
        /// The name of an icon of the desktop's theme, or a file.
        public var icon: String?
        public var urgency = Urgency.normal
        /// So long it is shown; zero: until the user closes it; nil: as the desktop has it.
        public var visible: Duration?

        public init() {}

        public enum Urgency: String, Sendable, CaseIterable {
            case low, normal, critical
        }
    }

    /// Browsers that have subscribed.
    public struct WebPush: Sendable, Hashable {
        /// Where a decision has the browser's subscription: a text or mapping with `{placeholders}`.
        public var subscription: Value
        /// Whom push services can write to: a mailto or https address.
        public var subject: String
        /// The private key, in Base64 for URLs. `${NAME}` is a variable of the environment.
        public var key: String
        /// So long a push service keeps what it cannot deliver; whole seconds count.
        public var ttl = Duration.days(1)
        public var urgency = Urgency.normal
        /// A text with `{placeholders}`: a later message takes the place of one of the same topic that is not delivered yet.
        public var topic: String?
        /// As of a webhook; nil: what a notification shows.
        public var body: Value?
        public var allow: [String] = []

        public init(subscription: Value, subject: String, key: String) {
            (self.subscription, self.subject, self.key) = (subscription, subject, key)
        }

        /// RFC 8030, section 5.3.
        public enum Urgency: String, Sendable, CaseIterable {
            case veryLow = "very-low"
            case low, normal, high
        }
    }

    /// A type of sinks that a plugin has.
    public struct Plugin: Sendable, Hashable {
        /// As the plugin names it.
        public var type: String
        /// In their texts, `${NAME}` is a variable of the environment. Nil: none are given.
        public var parameters: Value?

        public init(type: String, parameters: Value? = nil) { (self.type, self.parameters) = (type, parameters) }
    }

    /// So many in so long: `500/s`.
    public struct Rate: Sendable, Hashable {
        /// Between two of them, in ms.
        public let interval: Double

        /// Nil unless it is a whole number from 1 to 1,000,000, a slash and `s`, `m` or `h`.
        public init?(_ text: String) {
            let units = ["s": 1000.0, "m": 60_000, "h": 3_600_000]
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let count = Int(parts[0]), 1...1_000_000 ~= count,
                let unit = units[String(parts[1])]
            else { return nil }
            interval = unit / Double(count)
        }
    }
}
