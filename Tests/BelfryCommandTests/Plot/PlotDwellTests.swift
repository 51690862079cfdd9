import Testing

/// Plot Projects: notifications for those who stay.
@Suite struct PlotDwellTests {
    private static let places = """
        app: plot
        beacons: { uuid: F7826DA6 }
        regions:
          - { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 }
          - { id: hall, kind: beacon, major: 7 }

        """
    private static let stay = """
        campaigns: [ { id: stay, deleteOn: never, triggers: [ { on: dwell, regions: all, dwell: 5m } ] } ]

        """

    private func dwelling(_ times: [String]) throws -> Command.Result {
        let triggers = times.map { "{ on: dwell, regions: all, dwell: \($0) }" }.joined(separator: ", ")
        return try Story(Self.places + "campaigns: [ { id: stay, triggers: [ \(triggers) ] } ]\n").belfry(
            "config", "check")
    }

    @Test func `five minutes and twelve hours are in the limits`() throws {
        #expect(try dwelling(["5m", "12h", "300s", "PT12H"]).status == 0)
    }

    @Test func `what is shorter or longer is an error`() throws {
        let times = ["4m59s", "4m59s999ms", "12h1ms", "0s"]
        let result = try dwelling(times)
        #expect(result.status == 2)
        #expect(
            result.errors
                == times.enumerated().map { index, time in
                    """
                    belfry.yaml:6: campaigns[0].triggers[\(index)].dwell
                      found: the text '\(time)'
                      expected: a duration from 5m to 12h

                    """
                }.joined(separator: "\n"))
    }

    @Test func `the time is required`() throws {
        let story = try Story(Self.places + "campaigns: [ { id: stay, triggers: [ { on: dwell, regions: all } ] } ]\n")
        let result = try story.belfry("config", "check")
        #expect(result.status == 2 && result.errors.contains("found: no key 'dwell'"), "\(result.errors)")
    }

    @Test func `who stays is notified when the time is over, once per stay`() throws {
        let story = try Story(Self.places + Self.stay)
        let decided = try story.tell(
            ("09:00:00", "at 52.37 4.89"), ("09:04:00", "at 52.3701 4.89"), ("09:20:00", "at 52.37 4.8901"),
            ("09:21:00", "at 52.38 4.89"), ("09:22:00", "at 52.37 4.89"), ("09:26:59.999", "at 52.38 4.89"),
            ("09:30:00", "at 52.37 4.89"), ("09:35:00", "at 52.38 4.89"), ("10:00:00", "at 52.38 4.89"))
        // The second stay is a millisecond too short; at the end of the third the time is over before she leaves.
        #expect(decided == ["09:05:00 created stay/1", "09:35:00 created stay/2"])
    }

    /// The service that polls positions may be silent for ten minutes, and the phone for ever.
    @Test func `nobody needs to say anything for it to be due`() throws {
        let story = try Story(Self.places + Self.stay)
        #expect(try story.tell(("09:00:00", "at 52.37 4.89")) == [])
        #expect(try story.tell(("09:00:00", "at 52.37 4.89"), until: "09:05:00") == ["09:05:00 created stay/1"])
    }

    @Test func `beacons too, as long as they are sighted`() throws {
        let story = try Story(Self.places + Self.stay)
        let sightings = (0...15).map { turn in ("09:0\(turn / 3):\(turn % 3 * 2)5", "sight 7/\(turn)") }
        #expect(try story.tell(sightings, until: "10:00:00") == ["09:05:05 created stay/1"])
        // Half a minute without one is leaving.
        #expect(try story.tell(sightings.dropLast(2), until: "10:00:00") == [])
        #expect(try story.tell(("09:00:00", "enter hall"), until: "10:00:00") == ["09:05:00 created stay/1"])
    }

    @Test func `geotriggers too`() throws {
        let story = try Story(Self.places + Self.stay.replacing("id: stay,", with: "id: stay, kind: geotrigger,"))
        #expect(try story.tell(("09:00:00", "enter dam"), until: "10:00:00") == ["09:05:00 fired stay"])
    }

    @Test func `it is due after a restart, too`() throws {
        let story = try Story("store: sqlite:plot.db\n" + Self.places + Self.stay)
        #expect(try story.tell(("09:00:00", "at 52.37 4.89")) == [])
        let decided = try story.decisions(("09:10:00", "app.foregrounded"))
        #expect(decided.map { $0["time"] } == ["2026-03-02T09:05:00Z"])
    }

    /// Times and properties count when it is shown; 1.1 of Plot's documentation speaks of the current time.
    @Test func `it is judged when it is due`() throws {
        let story = try Story(
            Self.places + """
                chain: [ { strategy: segmentation }, { strategy: schedule } ]
                campaigns:
                  - id: stay
                    triggers: [ { on: dwell, regions: all, dwell: 5m } ]
                    with: { schedule: { periods: [ { hours: ["09:05-10:00"] } ] }, segmentation: { patient: true } }
                """)
        #expect(
            try story.tell(("09:00:00", "enter dam"), ("09:04:00", #"set {"patient":true}"#), until: "10:00:00") == [
                "09:05:00 created stay/1"
            ])
        #expect(
            try story.tell(("09:58:00", #"set {"patient":true}"#), ("09:58:00", "enter dam"), until: "11:00:00") == [
                "10:03:00 suppressed stay by schedule"
            ])
    }
}
