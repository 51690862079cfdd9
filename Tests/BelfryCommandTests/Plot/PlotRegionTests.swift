import BelfryEngine
import Foundation
import Testing

/// Plot Projects: geofences, and campaigns over them (docs/seed-coverage.md).
@Suite struct PlotRegionTests {
    /// 199.9 and 200.1 m north of the dam.
    private static let (inside, outside) = ("at 52.3717977 4.89", "at 52.3717995 4.89")

    private static let dam = """
        app: plot
        regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]

        """
    private static let welcome = "campaigns: [ { id: welcome, message: Hello, triggers: [ { regions: all } ] } ]\n"

    @Test func `a geofence without a radius has one of 200 m, and the first position in it is an entry`() throws {
        let story = try Story(Self.dam + Self.welcome)
        let decided = try story.tell(
            ("09:00:00", Self.outside), ("09:01:00", Self.inside), ("09:02:00", Self.inside),
            ("09:03:00", Self.outside),
            ("09:04:00", Self.inside))
        #expect(
            decided == [
                "09:01:00 created welcome/1", "09:03:00 deleted welcome/1", "09:04:00 created welcome/2",
            ])
    }

    @Test func `exactly at the radius is inside`() throws {
        let here = Coordinate(latitude: 52.37, longitude: 4.89)
        let radius = here.distance(to: Coordinate(latitude: 52.3751, longitude: 4.8994))
        let story = try Story(
            """
            app: plot
            regions:
              - { id: exact, kind: geofence, latitude: 52.37, longitude: 4.89, radius: \(radius) }
              - { id: less, kind: geofence, latitude: 52.37, longitude: 4.89, radius: \(radius.nextDown) }
            campaigns:
              - { id: exact, triggers: [ { regions: [exact] } ] }
              - { id: less, triggers: [ { regions: [less] } ] }
            """)
        #expect(try story.tell(("09:00:00", "at 52.3751 4.8994")) == ["09:00:00 created exact/1"])
    }

    @Test func `a geofence has any number of notifications, none included`() throws {
        let story = try Story(
            Self.dam + """
                campaigns:
                  - { id: first, triggers: [ { on: enter, regions: [dam] } ] }
                  - { id: second, triggers: [ { regions: all } ] }
                  - { id: elsewhere, triggers: [ { on: exit, regions: [dam] } ] }
                """)
        #expect(
            try story.tell(("09:00:00", Self.inside)) == ["09:00:00 created first/1", "09:00:00 created second/1"])
        let empty = try Story(Self.dam)
        #expect(try empty.tell(("09:00:00", Self.inside), ("09:01:00", Self.outside)) == [])
    }

    @Test func `leaving is a trigger too, and it may come alone`() throws {
        let story = try Story(
            Self.dam + "campaigns: [ { id: bye, deleteOn: never, triggers: [ { on: exit, regions: all } ] } ]\n")
        let decided = try story.tell(
            // It is not known yet whether she was inside; then she was not.
            ("09:00:00", "exit dam"), ("09:01:00", "exit dam"), ("09:02:00", Self.inside), ("09:03:00", Self.outside))
        #expect(decided == ["09:00:00 created bye/1", "09:03:00 created bye/2"])
    }

    /// A phone that is rarely heard of may be in another fence the next time; the exit comes before the entry.
    @Test func `positions may be rare and far apart`() throws {
        let story = try Story(
            """
            app: plot
            regions:
              - { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 }
              - { id: pier, kind: geofence, latitude: 52.40, longitude: 4.89 }
            campaigns:
              - { id: hello, deleteOn: never, priority: 9, triggers: [ { on: enter, regions: all } ] }
              - { id: bye, deleteOn: never, triggers: [ { on: exit, regions: all } ] }
            """)
        let decided = try story.decisions(
            ("2026-03-01T20:00:00Z", Self.inside), ("2026-03-04T06:00:00Z", "at 52.40 4.89"))
        #expect(
            decided.map { [$0["data"]?.map?["notification"], $0["data"]?.map?["region"]] } == [
                ["hello/1", "dam"], ["bye/1", "dam"], ["hello/2", "pier"],
            ])
    }

    @Test func `what is not published is no candidate, asked for or not`() throws {
        let story = try Story(
            Self.dam
                + "campaigns: [ { id: draft, published: false, triggers: [ { regions: all }, { on: dwell, dwell: 5m, regions: all }, { on: exit, regions: all } ] } ]\n"
        )
        #expect(
            try story.tell(("09:00:00", Self.inside), ("09:01:00", "request draft"), ("10:00:00", Self.outside)) == [])
    }

    // MARK: Campaigns

    private static let shops = """
        app: plot
        fields: [shopName, Floor]
        regions:
          - { id: a, name: Shop A, kind: geofence, latitude: 52.37, longitude: 4.89, fields: { SHOPNAME: Alpha, floor: 2 } }
          - { id: b, name: Shop B, kind: geofence, latitude: 52.37, longitude: 4.89, fields: { shopName: Beta } }
          - { id: c, name: Shop C, kind: geofence, latitude: 52.40, longitude: 4.89 }

        """

    @Test func `a campaign over several geofences is a candidate in each, with the texts of that one`() throws {
        let story = try Story(
            Self.shops + """
                campaigns:
                  - id: welcome
                    title: "{region}"
                    message: "{{{shopname}}}, floor {FLOOR}"
                    data: "{shopName}"
                    triggers: [ { regions: [a, b, c] } ]
                """)
        let told = try story.run(("09:00:00", "at 52.37 4.89"))
        let created = try told.lines.compactMap { try JSON($0)["data"]?.map }
        #expect(created.map { $0["region"] } == ["a", "b"])
        #expect(created.map { $0["title"] } == ["Shop A", "Shop B"])
        #expect(created.map { $0["message"] } == ["{Alpha}, floor 2", "{Beta}, floor "])
        // Data is not a template.
        #expect(created.allSatisfy { $0["data"] == "{shopName}" })
        #expect(
            told.errors.contains(
                "warning: campaign 'welcome': region 'b' has no field 'FLOOR', so its text has nothing there\n"),
            "\(told.errors)")
    }

    @Test func `a placeholder that is not declared is an error, as are two fields of one name`() throws {
        let story = try Story(
            """
            app: plot
            fields: [shopName, ShopNAME]
            campaigns: [ { id: welcome, message: "{shop}" } ]
            """)
        let result = try story.belfry("config", "check")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                belfry.yaml:2: fields[1]
                  found: a second field 'ShopNAME'
                  expected: each field once; case does not count
                  fix: remove one of them

                belfry.yaml:3: campaigns[0].message
                  found: the placeholder '{shop}', which is no declared field
                  expected: one of {shopName}, {ShopNAME}, {region}, {count}
                  fix: declare it in 'fields', or write '{{' and '}}' for braces

                """)
    }

    // MARK: Accuracy and the region budget

    @Test func `a position that is less accurate than the limit changes nothing, and is counted`() throws {
        let story = try Story("accuracyLimit: 100\n" + Self.dam + Self.welcome)
        let told = try story.run(
            ("09:00:00", "\(Self.inside) 100.5"), ("09:01:00", "\(Self.inside) 100"),
            ("09:02:00", "\(Self.outside) 5000"), ("09:03:00", Self.outside))
        #expect(told.output.contains(#""time":"2026-03-02T09:01:00Z","cause":"2","data":{"notification":"welcome/1""#))
        #expect(told.lines.count == 2 && told.lines.last?.contains(#""time":"2026-03-02T09:03:00Z""#) == true)
        #expect(told.errors.contains("  ignored inaccurate positions: 2\n"), "\(told.errors)")
    }

    /// Five small fences nearby, and a large one that holds both positions; its centre is 11 km to the north.
    private static let budget = """
        app: plot
        regionLimit: 5
        regions:
          - { id: park, kind: geofence, latitude: 52.47, longitude: 4.89, radius: 13000 }
          - { id: n1, kind: geofence, latitude: 52.371, longitude: 4.80 }
          - { id: n2, kind: geofence, latitude: 52.372, longitude: 4.80 }
          - { id: n3, kind: geofence, latitude: 52.373, longitude: 4.80 }
          - { id: n4, kind: geofence, latitude: 52.374, longitude: 4.80 }
          - { id: n5, kind: geofence, latitude: 52.375, longitude: 4.80 }
        campaigns:
          - { id: hello, triggers: [ { on: enter, regions: [park] } ] }
          - { id: bye, triggers: [ { on: exit, regions: [park] } ] }
        """

    @Test func `only the nearest geofences are watched, and leaving the budget is no exit`() throws {
        let story = try Story(Self.budget)
        let decided = try story.tell(
            // Six are there, and the park is the farthest; then it is the nearest.
            ("09:00:00", "at 52.37 4.89"), ("09:01:00", "at 52.46 4.89"), ("09:02:00", "at 52.37 4.89"),
            ("09:03:00", "at 52.46 4.89"), ("09:04:00", "at 52.60 4.89"))
        #expect(decided == ["09:01:00 created hello/1", "09:04:00 deleted hello/1", "09:04:00 created bye/1"])
    }

    @Test(arguments: [4, 21]) func `the budget is from 5 to 20`(limit: Int) throws {
        let story = try Story("app: plot\nregionLimit: \(limit)")
        let result = try story.belfry("config", "check")
        #expect(
            result.status == 2 && result.errors.contains("expected: a whole number from 5 to 20"), "\(result.errors)")
    }

    @Test func `geofences that are too small for a phone are warned of, once for all`() throws {
        let story = try Story(
            """
            app: plot
            regions:
              - { id: large, kind: geofence, latitude: 52.37, longitude: 4.89, radius: 100 }
              - { id: kiosk, kind: geofence, latitude: 52.37, longitude: 4.89, radius: 99.5 }
              - { id: booth, kind: geofence, latitude: 52.37, longitude: 4.89, radius: 10 }
            """)
        for result in [try story.belfry("config", "check"), try story.run()] {
            #expect(result.status == 0)
            #expect(
                result.errors.hasPrefix(
                    """
                    warning: geofence 'kiosk' (99.5 m) and 1 more: under 100 m, many a phone's position is too rough to \
                    notice the entry

                    """), "\(result.errors)")
        }
    }
}
