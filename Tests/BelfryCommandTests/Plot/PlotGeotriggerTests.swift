import BelfryModel
import Testing

/// Plot Projects: geotriggers, which show nothing and call the app's own code.
@Suite struct PlotGeotriggerTests {
    private static let places = """
        app: plot
        plugins: { directories: [bundled, plugins] }
        beacons: { uuid: F7826DA6 }
        regions:
          - { id: dam, name: Dam, kind: geofence, latitude: 52.37, longitude: 4.89 }
          - { id: pier, name: Pier, kind: geofence, latitude: 52.40, longitude: 4.89 }
          - { id: shelf, kind: beacon, major: 7 }

        """

    private func story(_ campaigns: String) throws -> Story {
        try Story(Self.places + campaigns, plugins: [PluginFiles.own("viewer")])
    }

    @Test func `it fires on entering and leaving, over several geofences and beacons, each time`() throws {
        let story = try self.story(
            "campaigns: [ { id: g, kind: geotrigger, triggers: [ { on: enter, regions: all }, { on: exit, regions: all } ] } ]"
        )
        let fired = try story.decisions(
            ("09:00:00", "at 52.37 4.89"), ("09:10:00", "at 52.40 4.89"), ("09:20:00", "sight 7/1"),
            ("09:30:00", "at 52.37 4.89"))
        #expect(fired.allSatisfy { $0["type"] == "geotrigger.fired" })
        #expect(
            fired.map { [$0["data"]?.map?["region"], $0["data"]?.map?["trigger"]] } == [
                ["dam", "1"], ["dam", "2"], ["pier", "1"], ["shelf", "1"], ["shelf", "2"], ["pier", "2"], ["dam", "1"],
            ])
    }

    @Test func `without a handler it counts as handled`() throws {
        let story = try self.story("campaigns: [ { id: g, kind: geotrigger, data: { a: 1 } } ]")
        let fired = try story.decisions(("09:00:00", "request g"))
        #expect(fired.map { $0["data"]?.map?["handled"] } == [true])
        #expect(fired.first?["data"]?.map?["data"] == ["a": 1])
    }

    @Test func `its handler gets what a notification's gets, and is told of data that is not there by its absence`()
        throws
    {
        let story = try self.story(
            """
            campaigns:
              - { id: full, kind: geotrigger, message: "at {region}", data: pass, onFire: { type: view }, triggers: [ { regions: [dam] } ] }
              - { id: empty, kind: geotrigger, onFire: { type: view }, triggers: [ { regions: [dam] } ] }
            """)
        let decided = try story.decisions(("09:00:00", "enter dam"))
        #expect(
            decided.map { $0["type"] } == [
                "geotrigger.fired", "action.invoked", "geotrigger.fired", "action.invoked",
            ])
        #expect(decided.map { $0["data"]?.map?["handled"] } == [true, nil, true, nil])
        #expect(
            decided.compactMap { $0["data"]?.map?["result"] } == [
                ["campaign": "full", "trigger": "1", "region": "dam", "message": "at Dam", "data": "pass"],
                ["campaign": "empty", "trigger": "1", "region": "dam"],
            ])
    }

    @Test func `what nobody takes is not handled`() throws {
        let story = try self.story("campaigns: [ { id: g, kind: geotrigger, onFire: { type: veiw } } ]")
        let told = try story.run(("09:00:00", "request g"))
        let decided = try told.lines.map { try JSON($0)["data"]?.map }
        #expect(decided.map { $0?["handled"] } == [false, nil] && decided.last??["status"] == "unknown")
        #expect(
            told.errors.contains(
                "campaign 'g', onFire: no plugin provides the action type 'veiw'; did you mean 'view'?"))
    }
}
