import Testing

/// Plot Projects: beacons.
@Suite struct PlotBeaconTests {
    private static let beacons = """
        app: plot
        beacons: { uuid: F7826DA6, distances: { immediate: 1, near: 2, far: 30 } }
        regions:
          - { id: shop, kind: beacon, major: 7 }
          - { id: shelf, kind: beacon, major: 7, minor: 2 }

        """

    @Test func `a beacon region has a major; without a minor every beacon of it counts`() throws {
        let story = try Story(
            Self.beacons + """
                campaigns:
                  - { id: shop, triggers: [ { regions: [shop] } ] }
                  - { id: shelf, triggers: [ { regions: [shelf] } ] }
                """)
        #expect(
            try story.tell(("09:00:00", "sight 8/2"), ("09:00:01", "sight 7/9"), ("09:00:02", "sight 7/2")) == [
                "09:00:01 created shop/1", "09:00:02 created shelf/1",
            ])
    }

    @Test func `a minor without a major is an error, as is a beacon without a uuid`() throws {
        let story = try Story("app: plot\nregions: [ { id: shelf, kind: beacon, minor: 2 } ]\n")
        let result = try story.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                belfry.yaml:2: regions[0].major
                  found: no key 'major'
                  expected: a whole number from 0 to 65535
                  fix: add 'major: …'

                belfry.yaml:2: regions[0].uuid
                  found: no key 'uuid', and no 'beacons.uuid' to stand in for it
                  expected: the UUID of the beacons
                  fix: add 'uuid: …' here, or once for all in 'beacons'

                """)
    }

    @Test(arguments: [("immediate", "1", "1.01"), ("near", "2", "2.01"), ("far", "30", "30.01")])
    func `immediate, near and far are at most 1, 2 and 30 m`(name: String, inside: String, outside: String) throws {
        let story = try Story(
            Self.beacons
                + "campaigns: [ { id: close, kind: geotrigger, triggers: [ { on: near, in: \(name), regions: [shelf] } ] } ]\n"
        )
        #expect(
            try story.tell(
                ("09:00:00", "sight 7/2 \(outside)"), ("09:00:01", "sight 7/2 \(inside)"), ("09:00:02", "sight 7/2"),
                ("09:00:03", "sight 7/2 \(outside)"), ("09:00:04", "sight 7/2 \(inside)")) == [
                    "09:00:01 fired close", "09:00:04 fired close",
                ])
    }

    @Test func `immediate is too close for a notification, which is warned of`() throws {
        let story = try Story(
            Self.beacons + """
                campaigns:
                  - { id: offer, triggers: [ { on: near, in: near, regions: [shelf] }, { on: near, in: immediate, out: far, regions: [shelf] } ] }
                  - { id: door, kind: geotrigger, triggers: [ { on: near, in: immediate, regions: [shelf] } ] }
                """)
        let result = try story.belfry("config", "check")
        #expect(result.status == 0)
        #expect(
            result.errors == """
                warning: campaign 'offer', trigger '2': 1 m is too close for notifications; 'near' or 'far' reach more people

                """)
    }

    @Test func `entering, leaving and coming near go through one chain with geofences`() throws {
        let story = try Story(
            PlotCooldownTests.chain.replacing("app: plot\n", with: "") + Self.beacons + """
                  - { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 }
                campaigns:
                  - { id: hello, deleteOn: never, triggers: [ { on: enter, regions: all } ] }
                  - { id: bye, deleteOn: never, triggers: [ { on: exit, regions: [shop] } ] }
                  - { id: look, deleteOn: never, triggers: [ { on: near, in: near, regions: [shelf] } ] }
                """)
        #expect(
            try story.tell(
                ("09:00:00", "at 52.37 4.89"), ("09:20:00", "sight 7/2 2"), ("09:20:25", "sight 7/3 9"),
                ("09:40:00", "sight 7/2 1.5")) == [
                    "09:00:00 created hello/1",
                    // Both regions are entered and it is near: hello was there once, and then there is look.
                    "09:20:00 suppressed hello by once", "09:20:00 suppressed hello by once", "09:20:00 created look/1",
                    // Half a minute after the last sighting.
                    "09:20:55 suppressed bye by plugin-cooldown",
                    "09:40:00 suppressed hello by once", "09:40:00 suppressed hello by once",
                    "09:40:00 suppressed look by once",
                ])
    }
}
