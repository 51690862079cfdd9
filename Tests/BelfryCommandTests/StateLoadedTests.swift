import Testing

/// `belfry state loaded`: what is watched for a subject.
@Suite struct StateLoadedTests {
    private static let configuration = """
        app: shop
        store: sqlite:shop.db
        beacons: { uuid: F7826DA6-4FA2-4E98-8024-BC5B71E0893E }
        fields: [shop]
        regions:
          - { id: far, kind: geofence, latitude: 52.4, longitude: 4.89, fields: { shop: Beta } }
          - { id: shelf, kind: beacon, major: 7, minor: 2 }
          - { id: door, kind: beacon, major: 1 }
          - { id: twin-b, kind: geofence, latitude: 52.38, longitude: 4.89, radius: 50 }
          - { id: twin-a, kind: geofence, latitude: 52.38, longitude: 4.89, radius: 500 }
          - { id: near, name: Near by, kind: geofence, latitude: 52.371, longitude: 4.89, fields: { shop: Alpha } }
        campaigns:
          - { id: draft, published: false, triggers: [ { on: enter, regions: all } ] }
          - { id: asked, message: Asked, triggers: [ { on: request }, { on: order.paid } ] }
          - id: sale
            priority: 9
            message: "{region}: {shop}"
            data: https://shop.example/s
            triggers: [ { on: exit, regions: [near] }, { id: stay, on: dwell, dwell: 10m, regions: [near, far] } ]
          - { id: view, kind: geotrigger, data: { n: 1 }, triggers: [ { on: enter, regions: [near, twin-a, twin-b] } ] }
          - { id: close, message: Close, triggers: [ { on: near, regions: [shelf], in: near }, { on: enter, regions: [door] } ] }

        """
    private let place: Workplace

    init() throws { place = try Workplace(["belfry.yaml": Self.configuration]) }

    private func tell(_ signals: (type: String, data: String)...) throws {
        let lines = signals.map { #"{"type":"\#($0)","subject":"ana","time":"2026-03-02T09:00:00Z","data":\#($1)}"# }
        let result = try place.belfry("run", input: lines.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    private let here = ("location.updated", #"{"latitude":52.37,"longitude":4.89}"#)

    /// `region campaign/trigger`, in order.
    private func loaded() throws -> [String] {
        let result = try place.belfry("state", "loaded", "ana", "--json")
        #expect(result.status == 0, "\(result.errors)")
        return try JSON(result.output).value.list!.map { one in
            let fields = one.map!
            return "\(fields["region"]!.text!) \(fields["campaign"]!.text!)/\(fields["trigger"]!.text!)"
        }
    }

    @Test func `the nearest comes first, beacons last, the rest in file order`() throws {
        try tell(here)
        #expect(
            try loaded() == [
                "near sale/1", "near sale/stay", "near view/1", "twin-b view/1", "twin-a view/1", "far sale/stay",
                "shelf close/1", "door close/2",
            ])
    }

    @Test func `each with the message of its region, where it is, and its data`() throws {
        try tell(here)
        let output = try place.belfry("state", "loaded", "ana", "--json").output
        let parts = [
            """
            [{"campaign":"sale","trigger":"1","region":"near","kind":"notification","message":"Near by: Alpha",\
            "latitude":52.371,"longitude":4.89,"data":"https://shop.example/s"},
            """,
            """
            {"campaign":"view","trigger":"1","region":"twin-b","kind":"geotrigger","latitude":52.38,"longitude":4.89,\
            "data":{"n":1}},
            """, #""message":"far: Beta","latitude":52.4,"#,
            #"{"campaign":"close","trigger":"1","region":"shelf","kind":"notification","message":"Close"},"#,
        ]
        for part in parts { #expect(output.contains(part), "\(part)") }
    }

    @Test func `as a table`() throws {
        try tell(here)
        #expect(
            try place.belfry("state", "loaded", "ana").lines.map { $0.split(separator: " ").joined(separator: " ") }[
                ...3]
                == [
                    "REGION DISTANCE ON CAMPAIGN TRIGGER KIND MESSAGE DATA",
                    "near 111 m exit sale 1 notification Near by: Alpha https://shop.example/s",
                    "near 111 m dwell sale stay notification Near by: Alpha https://shop.example/s",
                    #"near 111 m enter view 1 geotrigger {"n":1}"#,
                ])
    }

    @Test func `with a budget, only the nearest geofences, and every beacon`() throws {
        let more = (1...3).map {
            "  - { id: more-\($0), kind: geofence, latitude: 52.3\($0), longitude: 4.89 }"
        }
        let regions = Self.configuration.replacing("campaigns:", with: more.joined(separator: "\n") + "\ncampaigns:")
        try place.write("regionLimit: 5\n" + regions, to: "belfry.yaml")
        try tell(here)
        // near, both twins, far, and more-3 at 4.4 km; the others are further away.
        #expect(
            try loaded() == [
                "near sale/1", "near sale/stay", "near view/1", "twin-b view/1", "twin-a view/1", "far sale/stay",
                "shelf close/1", "door close/2",
            ])
        try tell(("location.updated", #"{"latitude":52.30,"longitude":4.89}"#))
        #expect(
            try loaded() == [
                "near sale/1", "near sale/stay", "near view/1", "twin-b view/1", "shelf close/1", "door close/2",
            ])
    }

    @Test func `nothing while the position is unknown`() throws {
        try tell(("region.entered", #"{"region":"near"}"#))
        #expect(try place.belfry("state", "loaded", "ana", "--json").output == "[]\n")
        #expect(
            try place.belfry("state", "loaded", "ana").output
                == "nothing is watched: the position of this subject is unknown\n")
    }

    @Test func `nothing for somebody who is disabled, wherever they go`() throws {
        try tell(here, ("subject.disabled", "{}"), here)
        #expect(try loaded() == [])
        #expect(
            try place.belfry("state", "loaded", "ana").output
                == "nothing is watched: notifications are switched off for this subject\n")
        try tell(("subject.enabled", "{}"), here)
        #expect(try loaded().count == 8)
    }

    @Test func `nothing before somebody is enabled, where the first run does not enable`() throws {
        try place.write("enableOnFirstRun: false\n" + Self.configuration, to: "belfry.yaml")
        try tell(here)
        #expect(try loaded() == [])
    }

    @Test func `nothing where no campaign waits`() throws {
        try tell(here)
        let regions = Self.configuration.prefix(upTo: Self.configuration.range(of: "campaigns:")!.lowerBound)
        try place.write(regions + "campaigns: []\n", to: "belfry.yaml")
        #expect(
            try place.belfry("state", "loaded", "ana").output
                == "nothing is watched: no published campaign waits at a region\n")
    }
}
