import BelfryModel

extension Configuration {
    /// One notification (or geotrigger) with what triggers it and what is asked of the chain on its behalf.
    public struct Campaign: Sendable {
        public var id: String
        public var kind = Kind.notification
        public var published = true
        public var title: String?
        public var message: String?
        /// Opaque: never expanded.
        public var data: Value?
        public var presentation: Value?
        /// Nil: `url` for http(s) data, else `none`.
        public var handler: Handler?
        public var tags: [String] = []
        /// Larger first among the candidates of one signal.
        public var priority: Int64 = 0
        public var groups: [String] = []
        public var triggers: [Trigger] = []
        public var category: String?
        public var onOpen: Action?
        public var onFire: Action?
        public var with: With = [:]
        public var deleteOn = DeleteOn.exit
        /// The campaign as the configuration has it, for conditions on `campaign`.
        public var document = Fields()

        public init(id: String) { self.id = id }
    }

    public enum Kind: String, Sendable, CaseIterable {
        case notification, geotrigger
    }

    public enum Handler: String, Sendable, CaseIterable {
        case url, landingPage, applink, action, none
    }

    public enum DeleteOn: String, Sendable, CaseIterable {
        case exit, never
    }

    public struct Trigger: Sendable {
        /// Its position from 1, as text, when the configuration gives none.
        public var id: String
        public var on: Event
        public var regions: RegionSet
        public var with: With = [:]

        public init(id: String, on: Event, regions: RegionSet = .all) {
            self.id = id
            self.on = on
            self.regions = regions
        }
    }

    /// What a trigger waits for.
    public enum Event: Sendable, Hashable {
        case enter, exit
        /// 5 min…12 h in the region (Plot Projects).
        case dwell(Duration)
        /// A beacon within `inside` m; gone again beyond `outside` m, which is not smaller.
        case near(inside: Double, outside: Double)
        case away(inside: Double, outside: Double)
        case request
        /// A signal of that type.
        case signal(String)

        /// As in the configuration and in conditions on `trigger.on`.
        public var name: String {
            switch self {
            case .enter: "enter"
            case .exit: "exit"
            case .dwell: "dwell"
            case .near: "near"
            case .away: "away"
            case .request: "request"
            case .signal(let type): type
            }
        }
    }

    public enum RegionSet: Sendable, Hashable {
        case all
        case some([String])
    }
}
