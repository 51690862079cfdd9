import BelfryModel

/// What an operator configured, read and checked for form, before any plugin has seen it.
///
/// docs/configuration.md. References between its parts (a trigger's regions, a campaign's groups) are ids; `Catalog` resolves them.
public struct Configuration: Sendable {
    public var app: String
    /// An IANA name; holds for subjects who have none.
    public var timeZone = "UTC"
    public var enableOnFirstRun = true
    /// `memory:`, `sqlite:PATH` or `postgres:URL`.
    public var store = "memory:"
    /// Nil: beside the executable, then BELFRY_PLUGIN_PATH.
    public var pluginDirectories: [String]?
    /// Nil: as the lock beside the configuration has it.
    public var trust: Trust?
    public var actions = Actions()
    /// Nil: nothing is forwarded.
    public var forward: Forward?
    /// How many current notifications a subject may have (AdTag's slot: 1). Nil: no limit.
    public var currentLimit: Int?
    /// How signals are committed together.
    public var batch = Batch()
    /// How the journal is kept, where there is one.
    public var journal = Journal()
    /// Where plugins run; nil: in processes of their own as soon as one of the chain is not bundled.
    public var isolation: Isolation?
    public var limits = Limits()
    /// Whether processes with plugins that are not bundled may do nothing but decide, as far as the kernel can see to that.
    public var sandbox = true
    public var service = Service()
    /// How long ids of signals and keys of requests are remembered, in the subject's time.
    public var duplicates = DuplicateMemory(.days(30))
    /// With a clock of its own, how far ahead of it a signal may be.
    public var clockAhead = Duration.minutes(5)
    /// Entries per history list and subject.
    public var historyLimit = 100
    /// 5…20 geofences watched per subject, the nearest ones. Nil: all.
    public var regionLimit: Int?
    /// In m: a position that is less accurate is ignored. Nil: none is.
    public var accuracyLimit: Double?
    /// The custom region fields, as declared.
    public var fields: [String] = []
    public var beacons = Beacons()
    public var chain: [Entry] = []
    public var groups: [Group] = []
    public var regions: [Region] = []
    public var campaigns: [Campaign] = []
    public var categories: [Category] = []
    /// Of two that say something of an entry, the later one is the more specific.
    public var experiments: [Experiment] = []
    /// In the order in which they are reasons: those of the file, then those that were made at run time.
    public var silences: [Silence] = []
    /// Where decisions are delivered to.
    public var sinks: [Sink] = []

    public init(app: String) {
        self.app = app
    }
}

extension Configuration {
    /// How many signals, and for how long, are worked on before they are committed.
    public struct Batch: Sendable, Hashable {
        public var signals = 1000
        /// From the first signal of a batch to its commit, at most.
        public var every = Duration.milliseconds(50)

        public init() {}
    }

    /// How far records may be behind the journal, and how long it is kept.
    public struct Journal: Sendable, Hashable {
        /// All records that changed are stored so often: what a run has to bring up after a kill.
        public var checkpoint = Duration.seconds(10)
        /// How long signals and decisions can be read after they have left; until then they are kept anyhow.
        public var keep = Duration.zero
        /// How long what a sink has not taken is kept; nil: 30 days, or `keep` if that is longer.
        public var atMost: Duration?

        public init() {}

        public var undelivered: Duration { atMost ?? max(keep, .days(30)) }

        /// A service keeps it in its own way.
        public mutating func take(_ service: Service) { (keep, atMost) = (service.keep, service.atMost) }
    }

    /// Where plugins run.
    public enum Isolation: String, Sendable, CaseIterable {
        case thread, process
    }

    /// What a plugin may take where it runs in a process of its own.
    public struct Limits: Sendable, Hashable {
        /// The processor time of one call, or the time in which it sleeps.
        public var call = Duration.milliseconds(100)
        /// Of one shard's process, resident.
        public var memory = ByteSize(bytes: 512 << 20)

        public init() {}
    }

    /// Parameters for chain entries, by entry id.
    public typealias With = [String: Level]

    /// What one level of the cascade says about an entry.
    public enum Level: Sendable, Hashable {
        /// The entry is switched off here, unless a more specific level switches it on again.
        case off
        /// Switched on, with these parameters on top of the less specific ones.
        case on(Value)
    }

    /// One strategy or filter in the chain.
    public struct Entry: Sendable {
        public var strategy: String
        public var id: String
        public var enabled = true
        /// Nil: the strategy's own default.
        public var per: Counter?
        public var parameters: Value?
        public var control = Control.required
        public var when: Condition?

        public init(strategy: String, id: String? = nil) {
            self.strategy = strategy
            self.id = id ?? strategy
        }
    }

    /// How an entry's verdict counts (docs/chain.md).
    public enum Control: String, Sendable, CaseIterable {
        case required, sufficient, optional, observer
    }

    /// What a strategy keeps its state per.
    public enum Counter: Sendable, Hashable, CustomStringConvertible {
        case subject, channel, campaign, trigger, region, group
        /// A value in the data of the request or campaign.
        case data(String)

        /// Nil if the text names no counter.
        public init?(_ text: String) {
            switch text {
            case "subject": self = .subject
            case "channel": self = .channel
            case "campaign": self = .campaign
            case "trigger": self = .trigger
            case "region": self = .region
            case "group": self = .group
            case let text where text.hasPrefix("data.") && text.utf8.count > 5: self = .data(String(text.dropFirst(5)))
            default: return nil
            }
        }

        public var description: String {
            switch self {
            case .subject: "subject"
            case .channel: "channel"
            case .campaign: "campaign"
            case .trigger: "trigger"
            case .region: "region"
            case .group: "group"
            case .data(let key): "data.\(key)"
            }
        }
    }

    public struct Group: Sendable {
        public var id: String
        public var with: With = [:]

        public init(id: String) { self.id = id }
    }

    public struct Actions: Sendable {
        /// How long the handler of one action may take.
        public var timeout = Duration.seconds(5)

        public init() {}
    }

    public struct Beacons: Sendable {
        public var uuid: String?
        public var exitDelay = Duration.seconds(30)
        /// In m, by class. Insiteo's defaults.
        public var distances: [(name: String, meters: Double)] = [("immediate", 0.25), ("near", 2.5), ("far", 40)]

        public init() {}
    }

    public struct Region: Sendable {
        public var id: String
        /// `id` when the configuration gives none.
        public var name: String
        public var kind: Kind
        public var fields = Fields()
        public var with: With = [:]

        public enum Kind: Sendable, Hashable {
            /// `radius` in m.
            case geofence(center: Coordinate, radius: Double)
            case beacon(uuid: String, major: Int, minor: Int?)
        }

        public init(id: String, kind: Kind) {
            self.id = id
            self.name = id
            self.kind = kind
        }
    }

    public struct Category: Sendable {
        public var id: String
        public var buttons: [Button]

        public init(id: String, buttons: [Button]) {
            self.id = id
            self.buttons = buttons
        }
    }

    public struct Button: Sendable, Hashable {
        public var id: String
        public var title: String
        public var destructive = false
        public var authenticationRequired = false
        public var foreground = false
        public var action: Action?

        public init(id: String, title: String) {
            self.id = id
            self.title = title
        }
    }

    /// Something to run: `type` names it in the registry; all members, `type` among them, reach the handler.
    public struct Action: Sendable, Hashable {
        public var type: String
        public var members: Fields

        public init(type: String, members: Fields) {
            self.type = type
            self.members = members
        }

        public init(type: String, value: Value? = nil) {
            var members = Fields([("type", .text(type))])
            members["value"] = value
            self.init(type: type, members: members)
        }
    }
}
