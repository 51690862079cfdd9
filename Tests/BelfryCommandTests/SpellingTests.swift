import BelfryModel
import Foundation
import Testing

/// Two spellings of a letter are two texts, wherever a text stands. Swift takes them for one.
@Suite struct SpellingTests {
    private static let (one, other) = ("caf\u{E9}", "cafe\u{301}")

    private static func request(_ subject: String, minute: Int = 0, _ data: String = "") -> String {
        #"{"type":"notification.requested","subject":"\#(subject)","time":"2026-03-02T09:0\#(minute):00Z","data":{"campaign":"offer"\#(data)}}"#
    }

    private func kinds(_ result: Command.Result) -> [String] {
        result.lines.compactMap { try? JSON($0)["type"]?.text?.replacing("notification.", with: "") }
    }

    @Test func `as keys of data and of attributes`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: shop\ncampaigns: [ { id: offer, data: { \(Self.other): 3 } } ]\n"
        ])
        let keys = #"{"\#(Self.one)":1,"\#(Self.other)":2}"#
        let set =
            #"{"type":"attributes.set","subject":"ana","time":"2026-03-02T08:00:00Z","data":{"values":\#(keys)}}"#
        let lines = [set, Self.request("ana", #","data":\#(keys)"#)].asFile
        let result = try place.belfry("run", "--store", "sqlite:s.db", input: lines)
        #expect(result.output.utf8.count { $0 == 0xCC } == 1, "\(result.output)")
        #expect(result.output.contains(#""data":\#(keys)"#), "\(result.output)")
        let shown = try place.belfry("state", "show", "ana", "--store", "sqlite:s.db").output
        for key in [Self.one, Self.other] {
            #expect(Array(shown.utf8).firstRange(of: Array(key.utf8)) != nil, "\(shown)")
        }
    }

    @Test func `as the type of a signal`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: shop\ncampaigns: [ { id: offer, triggers: [ { on: \(Self.one) } ] } ]\n"
        ])
        let lines = [Self.other, Self.one].map {
            #"{"type":"\#($0)","subject":"ana","time":"2026-03-02T09:00:00Z"}"#
        }
        let result = try place.belfry("run", input: lines.asFile)
        #expect(try result.lines.map { try JSON($0)["cause"] } == ["2"], "\(result.output)")
    }

    @Test func `as the value of a region's field`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            fields: [ brand ]
            chain: [ { strategy: region-change, parameters: { field: brand } } ]
            regions:
              - { id: a, kind: geofence, latitude: 0, longitude: 0, fields: { brand: \(Self.one) } }
              - { id: b, kind: geofence, latitude: 1, longitude: 0, fields: { brand: \(Self.other) } }
            campaigns: [ { id: offer, triggers: [ { on: enter } ] } ]
            """
        ])
        let lines = (0...1).map {
            #"{"type":"location.updated","subject":"ana","time":"2026-03-02T09:0\#($0):00Z","data":{"latitude":\#($0),"longitude":0}}"#
        }
        let result = try place.belfry("run", input: lines.asFile)
        #expect(kinds(result).filter { $0 == "created" }.count == 2, "\(result.output)\(result.errors)")
    }

    @Test func `as the id of a button`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            categories:
              - { id: ask, buttons: [ { id: \(Self.one), title: Yes, action: { type: url, value: "https://shop.example" } } ] }
            campaigns: [ { id: offer, category: ask } ]
            """
        ])
        let opened = [Self.other, Self.one].enumerated().map {
            #"{"type":"notification.opened","subject":"ana","time":"2026-03-02T09:0\#($0 + 1):00Z","data":{"notification":"offer/1","button":"\#($1)"}}"#
        }
        let result = try place.belfry("run", input: ([Self.request("ana")] + opened).asFile)
        let invoked = try result.lines.map { try JSON($0) }.filter { $0["type"] == "action.invoked" }
        #expect(invoked.map { $0["cause"] } == ["3"], "\(result.output)\(result.errors)")
    }

    @Test func `as subjects of a report`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            chain: [ { strategy: max-per-period, id: cap, parameters: { max: 9, lifetime: true }, when: { user.known: true } } ]
            campaigns: [ { id: offer } ]
            experiments:
              - { id: more, seed: s, variants: [ { name: a, weight: 0 }, { name: b, with: { cap: { max: 8 } } } ] }
            """
        ])
        let known =
            #"{"type":"attributes.set","subject":"\#(Self.one)","time":"2026-03-02T08:00:00Z","data":{"values":{"known":true}}}"#
        let requests = [Self.request(Self.one), Self.request(Self.other, minute: 1)]
        #expect(try place.belfry("run", input: ([known] + requests).asFile).status == 0)
        let report = try JSON(place.belfry("experiments", "report", "--json").output)
        let variants = report["experiments"]?.list?.first?.map?["variants"]?.list?.compactMap(\.map)
        #expect(variants?.last?["exposed"] == 1 && variants?.last?["created"] == 1, "\(report)")
    }

    @Test func `as subjects of a shadow that is promoted`() throws {
        let once = "app: shop\nchain: [ { strategy: once } ]\ncampaigns: [ { id: offer } ]\n"
        let place = try Workplace([
            "belfry.yaml": "app: shop\ncampaigns: [ { id: offer } ]\n", "once.yaml": once,
        ])
        let lines = [Self.one, Self.other, "bob"].map { Self.request($0) }.asFile
        let run = try place.belfry("run", "--shadow", "once.yaml", "--store", "sqlite:s.db", input: lines)
        #expect(run.status == 0, "\(run.errors)")
        let promoted = try place.belfry("state", "promote", "--store", "sqlite:s.db")
        #expect(promoted.status == 0 && promoted.output.contains("3"), "\(promoted.errors)")
        let again = [Self.one, Self.other, "bob"].map { Self.request($0, minute: 1) }.asFile
        let after = try place.belfry("run", "--config", "once.yaml", "--store", "sqlite:s.db", input: again)
        #expect(kinds(after) == ["suppressed", "suppressed", "suppressed"], "\(after.output)\(after.errors)")
    }
}
