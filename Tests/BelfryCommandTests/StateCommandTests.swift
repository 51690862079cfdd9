import Foundation
import Testing

@Suite struct StateCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:shop.db
            chain:
              - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
              - { strategy: max-per-period, id: cap, parameters: { max: 5, period: 1d } }
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
            campaigns:
              - { id: sale, message: Sale, triggers: [ { on: enter, regions: all } ] }
              - { id: still, message: Still here, triggers: [ { on: dwell, dwell: 10m, regions: all } ] }
            """
        ])
        let result = try place.belfry(
            "run",
            input: """
                {"type":"attributes.set","subject":"ana","time":"2026-03-02T08:00:00Z","data":{"values":{"tier":"gold"}}}
                {"type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"dam"}}
                {"type":"app.foregrounded","subject":"ben","time":"2026-03-02T09:00:00Z"}
                """)
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test func `the subjects are listed, as text and JSON`() throws {
        #expect(try place.belfry("state", "list").output == "ana\nben\n")
        #expect(try place.belfry("state").output == "ana\nben\n")
        #expect(try place.belfry("state", "list", "--json").output == "[\"ana\",\"ben\"]\n")
    }

    @Test func `a record is shown by its keys, which a person can read`() throws {
        let result = try place.belfry("state", "show", "ana")
        #expect(result.status == 0)
        for line in [
            "subject = ana", "latest = 2026-03-02T09:00:00Z", "user.tier = \"gold\"",
            "region[dam] = inside since 2026-03-02T09:00:00Z", "current[sale/1] = created 2026-03-02T09:00:00Z in dam",
            "cooldown[sale].createdAt = 2026-03-02T09:00:00Z",
        ] {
            #expect(result.lines.contains(line), "\(line)")
        }
        #expect(
            result.lines.contains { $0.hasPrefix("timer[") && $0.hasSuffix("dwell of still due 2026-03-02T09:10:00Z") })
        #expect(result.lines.contains { $0.hasPrefix("cap.") })
    }

    @Test func `a record as JSON`() throws {
        let record = try JSON(place.belfry("state", "show", "ana", "--json").output)
        #expect(record["subject"] == "ana" && record["user"] == ["tier": "gold"])
        #expect(record["timers"]?.list?.first?.map?["due"] == "2026-03-02T09:10:00Z")
        let cooldown = record["state"]?.list?.compactMap(\.map).first { $0["entry"] == "cooldown" }
        #expect(cooldown?["counter"] == "sale" && cooldown?["values"] == ["createdAt": "2026-03-02T09:00:00Z"])
    }

    @Test func `state is read without any plugin, and not changed`() throws {
        let before = try place.belfry("state", "show", "ana").output
        let configuration = try place.text(of: "belfry.yaml")
        try place.write("plugins: { directories: [nowhere] }\n" + configuration, to: "belfry.yaml")
        #expect(try place.belfry("state", "show", "ana").output == before)
    }

    @Test(arguments: ["show", "history", "loaded", "export", "erase"])
    func `an unknown subject is told with the nearest one`(command: String) throws {
        let result = try place.belfry("state", command, "anna")
        #expect(result.status == 1 && result.output == "")
        #expect(
            result.errors == """
                there is no record of subject 'anna'
                  why: no signal named it, or it was erased
                  fix: did you mean 'ana'?

                """)
        #expect(try place.belfry("state", command, "zacharias").errors.hasSuffix("fix: belfry state list names them\n"))
    }

    @Test(arguments: [
        ["list"], ["show", "ana"], ["history", "ana"], ["loaded", "ana"], ["export", "ana"], ["erase", "ana"],
        ["erase", "ana", "--dry-run"], ["verify"], ["verify", "--repair"],
    ])
    func `a store that is not there is told, and not made`(arguments: [String]) throws {
        let result = try place.belfry(["state"] + arguments + ["--store", "sqlite:none.db"], input: Data())
        #expect(result.status == 1)
        #expect(
            result.errors == """
                cannot open store 'none.db'
                  why: there is no such file, and reading does not create it
                  fix: check the path; 'belfry run' creates the store

                """)
        #expect(!FileManager.default.fileExists(atPath: place.file("none.db").path))
    }

    @Test func `a file that is no store is told, and not touched`() throws {
        let text = String(repeating: "not a database\n", count: 100)
        try place.write(text, to: "notes.txt")
        let result = try place.belfry("state", "list", "--store", "sqlite:notes.txt")
        #expect(result.status == 1 && result.errors.hasPrefix("cannot open store 'notes.txt'\n  why: "))
        #expect(result.errors.contains("\n  fix: "))
        #expect(try place.text(of: "notes.txt") == text)
    }

    @Test func `a store in memory has nothing to read`() throws {
        let result = try place.belfry("state", "list", "--store", "memory:")
        #expect(result.status != 0)
        #expect(result.errors.contains("fix: name the store that 'belfry run' keeps, as sqlite:PATH"))
    }

    @Test func `a field without a value stays without one when another version of the plugin loads it`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:belfry.db
            plugins: { directories: [plugins, bundled] }
            chain: [ { strategy: token } ]
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """
        ])
        let decided = try [1, 2].flatMap { version in
            try PluginFiles.compile(
                [PluginFiles.own("token")], into: place.file("plugins"), defining: "TOKEN_VERSION=\(version)")
            let requests = (0..<2).map { Story.signal("09:0\(version):0\($0)", "request sale") + "\n" }
            return try place.belfry("run", input: requests.joined()).lines.map { try Story.brief(JSON($0)) }
        }
        #expect(decided.map { $0.split(separator: " ")[1] } == ["created", "suppressed", "suppressed", "suppressed"])
    }
}
