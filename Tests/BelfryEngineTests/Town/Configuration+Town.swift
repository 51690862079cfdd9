import BelfryEngine
import BelfryModel

extension Configuration {
    /// A shop with a store, a kiosk inside the store, and a station far away; `sale` is triggered by entering the store.
    static func town() -> Configuration {
        var configuration = Configuration(app: "town")
        configuration.regions = [
            .geofence("store", latitude: 52, radius: 200), .geofence("kiosk", latitude: 52, radius: 20),
            .geofence("station", latitude: 53, radius: 200),
        ]
        configuration.campaigns = [.campaign("sale")]
        return configuration
    }

    subscript(campaign id: String) -> Campaign {
        get { campaigns.first { $0.id == id }! }  // a test that names another has a mistake
        set {
            if let index = campaigns.firstIndex(where: { $0.id == id }) {
                campaigns[index] = newValue
            } else {
                campaigns.append(newValue)
            }
        }
    }

    subscript(region id: String) -> Region {
        get { regions.first { $0.id == id }! }
        set { regions[regions.firstIndex { $0.id == id }!] = newValue }
    }
}

extension Configuration.Region {
    static func geofence(_ id: String, latitude: Double, longitude: Double = 4, radius: Double = 200)
        -> Configuration.Region
    {
        Configuration.Region(
            id: id, kind: .geofence(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius))
    }
}

extension Configuration.Campaign {
    /// A notification for an entry into the store, or for what else is said.
    static func campaign(
        _ id: String, on event: Configuration.Event = .enter, _ regions: Configuration.RegionSet = .some(["store"]),
        change: (inout Configuration.Campaign) -> Void = { _ in }
    ) -> Configuration.Campaign {
        var campaign = Configuration.Campaign(id: id)
        campaign.title = id
        campaign.triggers = [Configuration.Trigger(id: "t1", on: event, regions: regions)]
        change(&campaign)
        return campaign
    }
}

extension Configuration.Entry {
    /// A `scripted` entry with no wishes, or one that says something.
    static func entry(
        _ id: String, _ word: Scripted.Word? = nil, until: [String] = [], code: String? = nil,
        deletion: Scripted.Word? = nil,
        per: Configuration.Counter? = nil, control: Configuration.Control = .required
    ) -> Configuration.Entry {
        var entry = Configuration.Entry(strategy: "scripted", id: id)
        entry.per = per
        entry.control = control
        if word != nil || deletion != nil {
            entry.parameters = says(word ?? .abstain, until: until, code: code, deletion: deletion)
        }
        return entry
    }

    static func echo(_ parameters: Value? = nil, per: Configuration.Counter? = nil) -> Configuration.Entry {
        var entry = Configuration.Entry(strategy: "echo")
        entry.parameters = parameters
        entry.per = per
        return entry
    }

    static func editor(_ id: String, _ parameters: Value) -> Configuration.Entry {
        var entry = Configuration.Entry(strategy: "editor", id: id)
        entry.parameters = parameters
        return entry
    }
}

/// Parameters of a `scripted` entry.
func says(_ word: Scripted.Word, until: [String] = [], code: String? = nil, deletion: Scripted.Word? = nil) -> Value {
    var fields = Fields([("says", .text(word.rawValue))])
    if !until.isEmpty { fields["until"] = .list(until.map { .text($0) }) }
    fields["code"] = code.map { .text($0) }
    fields["deletion"] = deletion.map { .text($0.rawValue) }
    return .map(fields)
}

/// A condition for `when`; one that does not compile is a mistake of the test.
func condition(_ mapping: Value) -> Condition { try! Condition(mapping) }

extension Signal.Event {
    static func enter(_ region: String) -> Signal.Event { .entered(region: region) }
    static func exit(_ region: String) -> Signal.Event { .exited(region: region) }
    /// At that latitude on the town's meridian: 52 is the store and the kiosk, 53 the station.
    static func position(_ latitude: Double, accuracy: Double? = nil) -> Signal.Event {
        .located(latitude: latitude, longitude: 4, accuracy: accuracy)
    }
    static func request(_ campaign: String, data: Value? = nil, key: String? = nil) -> Signal.Event {
        .requested(Signal.Request(campaign: campaign, data: data, key: key))
    }
    /// Sets attributes of the user.
    static func user(_ values: Fields) -> Signal.Event { .attributesSet(.user, values) }
    static func delete(_ campaign: String) -> Signal.Event { .deletionRequested(campaign: campaign) }
    static func open(_ notification: String, button: String? = nil) -> Signal.Event {
        .opened(notification: notification, button: button)
    }

    var typeName: String {
        switch self {
        case .entered: "region.entered"
        case .exited: "region.exited"
        case .located: "location.updated"
        case .ranged: "beacon.ranged"
        case .requested, .deletionRequested: "notification.requested"
        case .opened: "notification.opened"
        case .dismissed: "notification.dismissed"
        case .foregrounded: "app.foregrounded"
        case .backgrounded: "app.backgrounded"
        case .sessionStarted: "session.started"
        case .sessionEnded: "session.ended"
        case .attributesSet: "attributes.set"
        case .attributesUpdated: "attributes.updated"
        case .attributesDeleted: "attributes.deleted"
        case .deviceRegistered: "device.registered"
        case .enabled: "subject.enabled"
        case .disabled: "subject.disabled"
        case .reset: "subject.reset"
        case .historyCleared: "history.cleared"
        case .clockAdvanced: "clock.advanced"
        case .custom: "custom"
        }
    }
}
