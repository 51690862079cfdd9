import Foundation
import Testing

/// `belfry state history`: what was sent to a subject.
@Suite struct StateHistoryTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": #"""
            app: shop
            store: sqlite:shop.db
            history: { limit: 3 }
            fields: [shop]
            regions:
              - { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89, fields: { shop: Alpha } }
            campaigns:
              - { id: sale, title: Sale, message: "Welcome\nat {shop}", data: "https://shop.example/s", triggers: [ { on: enter, regions: all } ] }
              - { id: view, kind: geotrigger, data: { page: 1 }, triggers: [ { on: enter, regions: all } ] }
              - { id: odd, kind: geotrigger, onFire: { type: teleport }, triggers: [ { on: exit, regions: all } ] }
              - { id: plain }
            """#
        ])
    }

    private func tell(_ moments: (time: String, type: String, data: String)...) throws {
        let lines = moments.map { time, type, data in
            #"{"type":"\#(type)","subject":"ana","time":"2026-03-02T\#(time):00Z","data":\#(data)}"#
        }
        let result = try place.belfry("run", input: lines.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    private func tellAll() throws {
        try tell(
            ("09:00", "region.entered", #"{"region":"dam"}"#),
            ("09:01", "notification.opened", #"{"notification":"sale/1"}"#),
            ("09:02", "notification.requested", #"{"campaign":"plain","message":"For you"}"#),
            ("09:03", "notification.dismissed", #"{"notification":"plain/1"}"#),
            ("09:04", "region.exited", #"{"region":"dam"}"#))
    }

    @Test func `both lists, newest last, with when it was sent, opened and handled`() throws {
        try tellAll()
        let result = try place.belfry("state", "history", "ana", "--json")
        #expect(result.status == 0 && result.errors == "")
        #expect(
            result.output == #"""
                {"notifications":[{"notification":"sale/1","campaign":"sale","title":"Sale","message":"Welcome\nat Alpha",\#
                "data":"https://shop.example/s","sentAt":"2026-03-02T09:00:00Z","openedAt":"2026-03-02T09:01:00Z"},\#
                {"notification":"plain/1","campaign":"plain","message":"For you","sentAt":"2026-03-02T09:02:00Z"}],\#
                "geotriggers":[{"campaign":"view","data":{"page":1},"sentAt":"2026-03-02T09:00:00Z",\#
                "handledAt":"2026-03-02T09:00:00Z"},{"campaign":"odd","sentAt":"2026-03-02T09:04:00Z"}]}

                """#)
    }

    @Test(arguments: ["thread", "process"])
    func `of two geotriggers that one campaign fires at one instant, the one that was not taken is not handled`(
        isolation: String
    ) throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:shop.db
            plugins: { directories: [plugins] }
            isolation: \(isolation)
            fields: [note]
            regions:
              - { id: mute, kind: geofence, latitude: 52.37, longitude: 4.89 }
              - { id: loud, kind: geofence, latitude: 52.37, longitude: 4.89, fields: { note: Hear } }
            campaigns:
              - { id: view, kind: geotrigger, message: "{note}", onFire: { type: choosy }, triggers: [ { on: enter, regions: all } ] }
            """
        ])
        try PluginFiles.compile([PluginFiles.own("choosy")], into: place.file("plugins"))
        let lines = ["mute", "loud"].map {
            #"{"type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"\#($0)"}}"#
        }
        let result = try place.belfry("run", input: lines.asFile)
        try #require(result.status == 0, "\(result.errors)")
        let fired = try result.lines.map(JSON.init).compactMap { $0["data"]?.map?["handled"] }
        #expect(fired == [false, true])
        let history = try JSON(place.belfry("state", "history", "ana", "--json").output)["geotriggers"]?.list ?? []
        #expect(history.map { $0.map?["handledAt"] } == [nil, "2026-03-02T09:00:00Z"])
    }

    @Test func `as tables, each entry on one line`() throws {
        try tellAll()
        #expect(
            try place.belfry("state", "history", "ana").output == """
                NOTIFICATION  TITLE  MESSAGE           DATA                    SENT                  OPENED
                sale/1        Sale   Welcome at Alpha  https://shop.example/s  2026-03-02T09:00:00Z  2026-03-02T09:01:00Z
                plain/1              For you                                   2026-03-02T09:02:00Z

                GEOTRIGGER  REGION  DATA        SENT                  HANDLED
                view        dam     {"page":1}  2026-03-02T09:00:00Z  2026-03-02T09:00:00Z
                odd         dam                 2026-03-02T09:04:00Z

                """)
    }

    @Test func `since a time, which belongs to it`() throws {
        try tellAll()
        func history(since time: String) throws -> [String?] {
            let lists = try JSON(place.belfry("state", "history", "ana", "--json", "--since", time).output)
            return ["notifications", "geotriggers"].flatMap { lists[$0]?.list ?? [] }.map { $0.map?["campaign"]?.text }
        }
        #expect(try history(since: "2026-03-02T09:02:00Z") == ["plain", "odd"])
        #expect(try history(since: "2026-03-02T10:02:00.001+01:00") == ["odd"])
        #expect(try history(since: "2026-03-03T00:00:00Z") == [])
    }

    @Test func `the oldest make room, in each list for itself`() throws {
        for minute in 10..<15 {
            try tell(("09:\(minute)", "notification.requested", #"{"campaign":"plain"}"#))
        }
        try tell(("10:00", "region.entered", #"{"region":"dam"}"#))
        let lists = try JSON(place.belfry("state", "history", "ana", "--json").output)
        #expect(
            lists["notifications"]?.list?.map { $0.map?["notification"] } == ["plain/4", "plain/5", "sale/1"])
        #expect(lists["geotriggers"]?.list?.map { $0.map?["campaign"] } == ["view"])
    }

    @Test func `one list is cleared, the other stays, and empty lists are told`() throws {
        try tellAll()
        try tell(("10:00", "history.cleared", #"{"list":"notifications"}"#))
        let lists = try JSON(place.belfry("state", "history", "ana", "--json").output)
        #expect(lists["notifications"] == [] && lists["geotriggers"]?.list?.count == 2)
        #expect(try place.belfry("state", "history", "ana").output.hasPrefix("no notifications\n\nGEOTRIGGER"))
        try tell(("10:01", "history.cleared", #"{"list":"geotriggers"}"#))
        #expect(try place.belfry("state", "history", "ana").output == "no notifications\nno geotriggers\n")
    }

    @Test func `it is read without any configuration`() throws {
        try tellAll()
        let before = try place.belfry("state", "history", "ana", "--json").output
        try FileManager.default.removeItem(at: place.file("belfry.yaml"))
        #expect(
            try place.belfry("state", "history", "ana", "--json", "--store", "sqlite:shop.db").output == before)
    }
}
