import BelfryEngine
import BelfryModel
import Testing

/// Ids are the same if their bytes are: Swift's `==` takes two spellings of "é" for one text, senders and stores do not.
@Suite struct SpellingTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test func `two spellings are two channels`() throws {
        let town = try Town()
        town.send(.deviceRegistered(["osVersion": "1"]), at: "10:00", channel: composed)
        town.send(.deviceRegistered(["osVersion": "2"]), at: "10:01", channel: decomposed)
        #expect(town.record().channels.map(\.automatic) == [["osVersion": "1"], ["osVersion": "2"]])
    }

    @Test func `buttons are those for the channel of that spelling`() throws {
        let town = try Town {
            $0.categories = [.init(id: "offer", buttons: [.init(id: "Accept", title: "Accept")])]
            $0[campaign: "sale"].category = "offer"
        }
        town.send(.deviceRegistered(["supportsButtons": false]), at: "10:00", channel: composed)
        town.send(.request("sale"), at: "10:01", channel: decomposed)
        #expect(town.record().current.last?.content.buttons != nil)
    }

    @Test func `a deletion is of the campaign of that spelling`() throws {
        let town = try Town { $0.campaigns = [.campaign(self.composed)] }
        town.send(.request(composed), at: "10:00")
        try town.reconfigure { $0.campaigns = [.campaign(self.decomposed)] }
        #expect(town.send(.delete(decomposed), at: "10:01") == [])
        #expect(town.record().current.map(\.campaign) == [composed])
    }

    @Test func `a category of a request has its own buttons in its own spelling only`() throws {
        let town = try Town { config in
            config.categories = [
                .init(id: self.composed, buttons: [.init(id: "Accept", title: "Accept")])
            ]
        }
        let category = Signal.Category(id: decomposed)
        town.send(.requested(Signal.Request(campaign: "sale", category: category)), at: "10:00")
        #expect(town.record().current.last?.content.buttons == nil)
    }
}
