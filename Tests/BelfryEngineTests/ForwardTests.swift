import BelfryEngine
import BelfryModel
import Testing

/// What is left for the host to forward (docs/forwarding.md).
@Suite struct ForwardTests {
    private func town(_ attributes: Configuration.Forward.Attributes = .all) throws -> Town {
        try Town {
            $0.forward = .init(url: "http://shop.example")
            $0.forward?.attributes = attributes
        }
    }

    @Test func `without an endpoint nothing is left`() throws {
        let town = try Town()
        town.send(.sessionStarted, at: "10:00")
        #expect(town.decisions.count == 1 && town.outgoing.isEmpty)
    }

    @Test func `a recorded event is forwarded beside its decision`() throws {
        let town = try town()
        #expect(
            town.send(.sessionStarted, at: "10:00", id: "s1", channel: "phone") == ["recorded application sessionStart"]
        )
        #expect(
            town.outgoing == [
                Outgoing(
                    subject: "ana", channel: "phone", time: Instant(clock: "10:00"), cause: "s1",
                    body: .event(type: "application", name: "sessionStart", attributes: Fields()))
            ])
        for (event, name) in [
            (Signal.Event.sessionEnded, "sessionEnd"), (.disabled, "uiPushDisabled"), (.enabled, "uiPushEnabled"),
        ] {
            town.send(event, at: "10:01")
            #expect(town.outgoing.map(\.body) == [.event(type: "application", name: name, attributes: Fields())])
        }
    }

    @Test func `the event of an action is forwarded with its attributes`() throws {
        let town = try Town {
            $0.forward = .init(url: "http://shop.example")
            $0[campaign: "sale"].data = "https://shop.example/sale"
        }
        town.send(.enter("store"), at: "10:00")
        #expect(town.outgoing.isEmpty)
        town.send(.open("sale/1"), at: "10:01")
        #expect(
            town.outgoing.map(\.body) == [
                .event(
                    type: "simpleNotification", name: "urlClicked",
                    attributes: ["notification": "sale/1", "value": "https://shop.example/sale"])
            ])
    }

    @Test func `a custom event is one of type custom, with the signal's type as its name`() throws {
        let town = try town()
        #expect(town.send(.custom, at: "10:00", type: "purchase", data: ["sku": "a1"]) == [])
        #expect(
            town.outgoing.map(\.body) == [.event(type: "custom", name: "purchase", attributes: ["sku": "a1"])])
        town.send(.custom, at: "10:00", type: "purchase")
        #expect(town.outgoing.map(\.body) == [.event(type: "custom", name: "purchase", attributes: Fields())])
    }

    /// IBM MCE, attribute examples: set, update and delete, each for the user and for the channel.
    @Test(arguments: [Signal.Scope.user, .channel])
    func `attribute changes are forwarded as they were said`(scope: Signal.Scope) throws {
        let town = try town()
        var bodies: [Outgoing.Body] = []
        for event in Self.changes(scope) {
            town.send(event, at: "10:00", channel: "phone")
            bodies += town.outgoing.map(\.body)
        }
        #expect(
            bodies == [
                .attributesSet(scope, ["a": 1, "b": .null]), .attributesUpdated(scope, ["c": true]),
                .attributesDeleted(scope, ["a", "nowhere"]),
            ])
    }

    /// IBM MCE: with Silverpop, only user attributes are forwarded.
    @Test(arguments: [
        (Configuration.Forward.Attributes.all, 6), (.user, 3), (.none, 0),
    ])
    func `which attributes are forwarded is configured`(attributes: Configuration.Forward.Attributes, count: Int) throws
    {
        let town = try town(attributes)
        var outgoing: [Outgoing] = []
        for event in Self.changes(.user) + Self.changes(.channel) {
            town.send(event, at: "10:00", channel: "phone")
            outgoing += town.outgoing
        }
        #expect(outgoing.count == count)
        town.send(.sessionStarted, at: "10:00")
        #expect(town.outgoing.count == 1)
    }

    @Test func `a late event keeps its own time`() throws {
        let town = try town()
        town.send(.custom, at: "10:00", type: "visit")
        town.send(.custom, at: "09:00", type: "purchase")
        #expect(town.late == 1 && town.outgoing.map(\.time) == [Instant(clock: "09:00")])
        town.send(.sessionStarted, at: "09:30")
        #expect(town.decisions.map(\.time) == [Instant(clock: "10:00")])
        #expect(town.outgoing.map(\.time) == [Instant(clock: "09:30")])
    }

    @Test func `the order is that of happening`() throws {
        let town = try Town {
            $0.forward = .init(url: "http://shop.example")
            $0.campaigns = [
                .campaign("door", on: .signal("purchase")) {
                    $0.kind = .geotrigger
                    $0.onFire = .init(type: "url", value: "x")
                }
            ]
        }
        town.send(.custom, at: "10:00", type: "purchase")
        let names = town.outgoing.map { if case .event(_, let name, _) = $0.body { name } else { "?" } }
        #expect(names == ["purchase", "urlClicked"])
    }

    private static func changes(_ scope: Signal.Scope) -> [Signal.Event] {
        [
            .attributesSet(scope, ["a": 1, "b": .null]), .attributesUpdated(scope, ["c": true]),
            .attributesDeleted(scope, ["a", "nowhere"]),
        ]
    }
}
