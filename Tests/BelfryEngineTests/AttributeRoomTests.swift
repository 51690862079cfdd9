import BelfryEngine
import BelfryModel
import Testing

/// A record has room for so many bytes of attributes, and does not grow for ever.
@Suite struct AttributeRoomTests {
    private let large = Value.text(String(repeating: "x", count: 600_000))

    @Test func `attributes of the user that would go beyond 1 MiB are refused, and others may take their place`() throws
    {
        let town = try Town()
        town.send(.attributesUpdated(.user, ["a": large]), at: "10:00")
        let fault = town.fault(.attributesUpdated(.user, ["b": large]), at: "10:01")
        #expect(fault?.code == .invalidAttribute)
        #expect(
            fault?.message
                == "the subject's attributes of the user would have 1200013 bytes; expected at most 1048576")
        #expect(town.fault(.attributesUpdated(.user, ["a": large]), at: "10:01") == nil)
        #expect(town.fault(.attributesUpdated(.user, ["a": .null, "b": large]), at: "10:01") == nil)
        #expect(town.fault(.attributesSet(.user, ["b": large]), at: "10:01") == nil)
        #expect(town.record().user == ["a": large])
    }

    @Test func `all channels of a subject have 1 MiB together, whatever made them`() throws {
        let town = try Town()
        let name = String(repeating: "n", count: 500_000)
        town.send(.deviceRegistered(["note": large]), at: "10:00", channel: "phone")
        let events: [Signal.Event] = [
            .deviceRegistered(["note": large]), .attributesSet(.channel, ["note": large]),
            .attributesUpdated(.channel, ["note": large]),
        ]
        for event in events {
            let fault = town.fault(event, at: "10:01", channel: "watch")
            #expect(fault?.code == .invalidAttribute && fault?.message.contains("channels with their") == true)
        }
        #expect(town.fault(.attributesDeleted(.channel, ["note"]), at: "10:01", channel: name) != nil)
        #expect(town.fault(.attributesDeleted(.channel, ["note"]), at: "10:01", channel: "watch") == nil)
        #expect(town.fault(.attributesSet(.user, ["note": large]), at: "10:01") == nil)
    }
}
