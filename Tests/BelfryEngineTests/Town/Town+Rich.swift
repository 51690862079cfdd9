import BelfryEngine
import BelfryModel
import Testing

extension Town {
    /// A subject who has something of everything.
    static func rich() throws -> Town {
        let town = try Town {
            $0.chain = [
                .entry("a", per: .campaign), .entry("b", .defer, until: ["20:00"]), .editor("f", ["append": "!"]),
                .entry("c", .collect, until: ["21:00"], per: .campaign),
            ]
            for campaign in ["sale", "stay", "view"] {
                $0[campaign: campaign] = .campaign(campaign) { $0.with = ["b": .off, "c": .off] }
            }
            $0[campaign: "stay"].triggers[0].on = .dwell(.hours(2))
            $0[campaign: "view"].kind = .geotrigger
            $0.campaigns.append(.campaign("later", on: .request))
            $0.campaigns.append(.campaign("mail", on: .request) { $0.with["b"] = .off })
            $0[campaign: "sale"].data = ["n": 1, "x": [1.5, true, .null, "ü"]]
            $0[campaign: "sale"].presentation = ["image": "a.png"]
        }
        town.send(
            .user(["tier": "gold", "visits": -7, "tags": ["a", ["b": 1e300]]]), at: "08:00", id: "s-1", source: "crm")
        town.send(.deviceRegistered(["timeZone": "Europe/Amsterdam"]), at: "08:01", channel: "phone")
        town.send(.foregrounded, at: "08:02")
        town.send(.position(52), at: "09:00", channel: "phone")
        town.send(.open("sale/1"), at: "09:01")
        town.send(.request("later", data: ["order": 7], key: "k"), at: "09:02")
        let category = Signal.Category(id: "offer", buttons: [["id": "b", "title": "B", "action": ["type": "dial"]]])
        town.send(.requested(Signal.Request(campaign: "later", title: "T", category: category)), at: "09:02")
        town.send(.requested(Signal.Request(campaign: "later", category: .init(id: "plain"))), at: "09:02")
        town.send(.request("mail", data: ["n": 1]), at: "09:02")
        town.send(.request("mail"), at: "09:02", id: "s-2", channel: "phone")
        town.send(.enabled, at: "09:03")
        town.send(.exit("station"), at: "09:04")
        return town
    }
}
