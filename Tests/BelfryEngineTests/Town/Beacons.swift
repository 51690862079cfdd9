import BelfryEngine
import BelfryModel
import BelfryPlugin

let someUUID = "2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6"

/// A town with beacons: a shop with any number of them, among them the one of its shelf, and a bar.
///
/// `in` and `out` on entering and leaving the shop; both stay when it is left.
func beaconTown(
    _ strategies: [any Strategy.Type] = town, change: (inout Configuration) -> Void = { _ in }
) throws -> Town {
    try Town(strategies) {
        $0.regions = [.beacons("shop", major: 7), .beacons("shelf", major: 7, minor: 2), .beacons("bar", major: 9)]
        $0.campaigns = [
            .campaign("in", .some(["shop"])) { $0.deleteOn = .never },
            .campaign("out", on: .exit, .some(["shop"])) { $0.deleteOn = .never },
        ]
        change(&$0)
    }
}

extension Configuration.Region {
    /// Every beacon with that major, or the one with that minor too.
    static func beacons(_ id: String, uuid: String = someUUID, major: Int, minor: Int? = nil) -> Configuration.Region {
        Configuration.Region(id: id, kind: .beacon(uuid: uuid, major: major, minor: minor))
    }
}

extension Signal.Event {
    static func sight(
        _ major: Int, _ minor: Int, at distance: Double? = nil, uuid: String = someUUID
    ) -> Signal.Event {
        .ranged(uuid: uuid, major: major, minor: minor, distance: distance)
    }
}
