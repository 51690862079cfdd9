import BelfryEngine
import BelfryModel

extension Configuration {
    /// A chain of one entry, with campaigns and regions that are there in name only.
    init(testing entry: Entry, campaigns: [String], regions: [String]) {
        self.init(app: "test")
        chain = [entry]
        self.regions = regions.map(Region.init(anywhere:))
        self.campaigns = campaigns.map(Campaign.init(anytime:))
    }
}

extension Configuration.Region {
    /// Where it is does not matter: it is entered and left by name.
    fileprivate init(anywhere id: String) {
        self.init(id: id, kind: .geofence(center: Coordinate(latitude: 0, longitude: 0), radius: 200))
    }
}

extension Configuration.Campaign {
    /// For requests, and for a subject that enters a region.
    fileprivate init(anytime id: String) {
        self.init(id: id)
        title = id
        // What conditions on `campaign` see; `configure` of a test may say more.
        document = Fields([("id", .text(id)), ("kind", .text(kind.rawValue)), ("title", .text(id))])
        triggers = [
            Configuration.Trigger(id: "request", on: .request), Configuration.Trigger(id: "enter", on: .enter),
        ]
    }
}
