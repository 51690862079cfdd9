import Foundation
import Testing

/// `belfry run --watch`: the configuration is another one between two signals.
@Suite struct WatchTests {
    private static func configuration(max: String = "1", more: String = "") -> String {
        """
        app: shop
        store: sqlite:shop.db
        chain:
          - { strategy: max-per-period, id: daily-cap, parameters: { max: \(max), calendar: day } }
        campaigns:
          - { id: sale, message: Half price }

        """ + more
    }

    private let place: Workplace

    init() throws { place = try Workplace(["belfry.yaml": Self.configuration()]) }

    private func configure(max: String = "1", more: String = "") throws {
        try place.write(Self.configuration(max: max, more: more), to: "belfry.yaml")
    }

    // MARK: What is right

    @Test func `a changed cap holds from the next signal on, and what was counted still counts`() throws {
        let run = try LiveRun(in: place, "--watch")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 suppressed sale by daily-cap"])
        try configure(max: "2")
        try run.hear("reloaded: chain: 'daily-cap' changed")
        #expect(try run.tell("09:02:00", "request sale") == ["09:02:00 created sale/2"])
        #expect(try run.tell("09:03:00", "request sale") == ["09:03:00 suppressed sale by daily-cap"])
        #expect(try run.end() == 0)
    }

    @Test func `it says what it watches, and everything that is different`() throws {
        try place.write(#"regions: [ { id: dam, kind: beacon, major: 7 } ]"#, to: "places.yaml")
        try configure(more: "include: [ places.yaml ]\nbeacons: { uuid: F7826DA6 }\n")
        let run = try LiveRun(in: place, "--watch")
        #expect(
            try run.hear("watching").hasSuffix(
                "watching belfry.yaml, places.yaml and the plugins in '\(Command.folder.path)'"))
        try place.write(
            """
            app: shop
            timeZone: Europe/Amsterdam
            include: [ places.yaml ]
            beacons: { uuid: F7826DA6 }
            store: sqlite:shop.db
            chain: [ { strategy: once }, { strategy: max-per-period, id: daily-cap, parameters: { max: 1, calendar: day } } ]
            groups: [ { id: promo } ]
            campaigns: [ { id: a }, { id: b }, { id: c }, { id: d }, { id: e }, { id: f } ]
            """, to: "belfry.yaml")
        #expect(
            try run.hear("reloaded") == """
                reloaded: chain: 'once' added; groups: 'promo' added; \
                campaigns: 'a' added, 'b' added, 'c' added, 'd' added, 'e' added, 'f' added and 1 more; \
                settings: 'timeZone' added
                """)
        try place.write("regions: [ ]", to: "places.yaml")
        #expect(try run.hear("reloaded") == "reloaded: regions: 'dam' removed")
    }

    @Test func `a file that takes the place of another is noticed`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        for max in 2...3 {
            try place.write(Self.configuration(max: "\(max)"), to: ".belfry.yaml.new")
            #expect(rename(place.file(".belfry.yaml.new").path, place.file("belfry.yaml").path) == 0)
            try run.hear("reloaded: chain: 'daily-cap' changed")
        }
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
    }

    /// As Kubernetes mounts configurations: all of them change at once, by a link to a folder.
    @Test func `a link that leads elsewhere is noticed`() throws {
        let files = FileManager.default
        for (folder, max) in [("monday", "1"), ("tuesday", "2")] {
            try files.createDirectory(at: place.file(folder), withIntermediateDirectories: true)
            try place.write(Self.configuration(max: max), to: "\(folder)/belfry.yaml")
        }
        try files.createSymbolicLink(atPath: place.file("today").path, withDestinationPath: "monday")
        let run = try LiveRun(in: place, "--watch", "--config", "today/belfry.yaml", "--store", "memory:")
        try run.hear("watching")
        try files.createSymbolicLink(atPath: place.file("new").path, withDestinationPath: "tuesday")
        #expect(rename(place.file("new").path, place.file("today").path) == 0)
        try run.hear("reloaded: chain: 'daily-cap' changed")
        // Several times: the first change may be found by a look that the link has caused.
        for max in 3...5 {
            try place.write(Self.configuration(max: "\(max)"), to: "tuesday/belfry.yaml")
            try run.hear("reloaded: chain: 'daily-cap' changed")
        }
    }

    @Test func `a new file that an include finds is taken`() throws {
        try FileManager.default.createDirectory(at: place.file("campaigns"), withIntermediateDirectories: true)
        try place.write("campaigns: [ { id: autumn, message: Leaves } ]", to: "campaigns/autumn.yaml")
        try configure(max: "9", more: "include: [ 'campaigns/*.yaml' ]\n")
        let run = try LiveRun(in: place, "--watch")
        #expect(try run.tell("09:00:00", "request autumn") == ["09:00:00 created autumn/1"])
        try place.write("campaigns: [ { id: winter, message: Snow } ]", to: "campaigns/winter.yaml")
        try run.hear("reloaded: campaigns: 'winter' added")
        #expect(try run.tell("09:01:00", "request winter") == ["09:01:00 created winter/1"])
        try FileManager.default.removeItem(at: place.file("campaigns/autumn.yaml"))
        try run.hear("reloaded: campaigns: 'autumn' removed")
    }

    // MARK: What is wrong

    @Test func `a wrong configuration is told, and the former one stays until it is right`() throws {
        let run = try LiveRun(in: place, "--watch")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
        try run.hear("watching")
        try configure(max: "many", more: "regionLimit: 4\n")
        #expect(
            try run.hear("the former") == """
                belfry.yaml:4: chain[0].parameters.max
                  found: 'many'
                  expected: a whole number, at least 0

                belfry.yaml:7: regionLimit
                  found: the number 4
                  expected: a whole number from 5 to 20
                the former configuration stays in force
                """)
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 suppressed sale by daily-cap"])
        try configure(max: "2")
        #expect(try run.hear("reloaded") == "reloaded: chain: 'daily-cap' changed")
        #expect(try run.tell("09:02:00", "request sale") == ["09:02:00 created sale/2"])
    }

    @Test func `what is in force may simply come back`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        try place.write("app: [", to: "belfry.yaml")
        try run.hear("the former configuration stays in force")
        try FileManager.default.removeItem(at: place.file("belfry.yaml"))
        #expect(
            try run.hear("the former") == """
                belfry.yaml
                  found: no such file
                  expected: a configuration file
                  fix: create it, or name another with --config
                the former configuration stays in force
                """)
        try configure()
        #expect(try run.hear("the configuration") == "the configuration is again the one in force")
    }

    @Test func `a file that is half-written harms nobody, and is taken when it is whole`() throws {
        try place.write("groups: []\n", to: "groups.yaml")
        let whole = Self.configuration(max: "2", more: "include: [ groups.yaml ]\n")
        try place.write(whole, to: "belfry.yaml")
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        let file = try FileHandle(forWritingTo: place.file("belfry.yaml"))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(whole.utf8.prefix(90)))
        // The watch looks, because of another file.
        try place.write("groups: [ { id: promo } ]\n", to: "groups.yaml")
        try run.hear("the former configuration stays in force")
        try file.write(contentsOf: Data(whole.utf8.dropFirst(90)))
        try file.close()
        try run.hear("reloaded: groups: 'promo' added")
    }

    @Test func `a run keeps its store`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        try place.write(Self.configuration().replacing("shop.db", with: "new.db"), to: "belfry.yaml")
        #expect(
            try run.hear("the former") == """
                belfry.yaml:2: store
                  found: the store 'sqlite:new.db'
                  expected: 'sqlite:shop.db', which this run has opened: a run keeps its store
                  fix: put it back, or stop this run and start it again
                the former configuration stays in force
                """)
        #expect(!FileManager.default.fileExists(atPath: place.file("new.db").path))
    }

    @Test func `with a store of its own, a run does not care about the configured one`() throws {
        let run = try LiveRun(in: place, "--watch", "--store", "memory:")
        try run.hear("watching")
        try place.write(Self.configuration().replacing("shop.db", with: "new.db"), to: "belfry.yaml")
        try run.hear("reloaded: settings: 'store' changed")
    }

    // MARK: What is remembered

    @Test func `state of an entry that was removed stays, and goes on when the entry comes back`() throws {
        let run = try LiveRun(in: place, "--watch")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
        let whole = try place.text(of: "belfry.yaml")
        try place.write(whole.replacing(/chain:\n.*\n/, with: "chain: []\n"), to: "belfry.yaml")
        try run.hear("reloaded: chain: 'daily-cap' removed")
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 created sale/2"])
        #expect(
            try place.belfry("state", "show", "ana").lines.contains("daily-cap.creations = [\"2026-03-02T09:00:00Z\"]"))
        try place.write(whole, to: "belfry.yaml")
        try run.hear("reloaded: chain: 'daily-cap' added")
        #expect(try run.tell("09:02:00", "request sale") == ["09:02:00 suppressed sale by daily-cap"])
    }

    @Test func `what a removed campaign has deferred is dropped, unless the campaign is back in time`() throws {
        try PluginFiles.compile([PluginFiles.own("patient")], into: place.file("plugins"))
        let (head, both, one) = (
            "app: shop\nplugins: { directories: [bundled, plugins] }\nchain: [ { strategy: patient } ]\n",
            "campaigns: [ { id: sale, message: Now }, { id: news, message: News } ]\n",
            "campaigns: [ { id: news, message: News } ]\n"
        )
        try place.write(head + both, to: "belfry.yaml")
        let run = try LiveRun(in: place, "--watch")
        for hour in ["09", "10"] {
            #expect(try run.tell("\(hour):10:00", "request sale") == ["\(hour):10:00 deferred sale by patient"])
            #expect(try run.tell("\(hour):11:00", "request news") == ["\(hour):11:00 deferred news by patient"])
            try place.write(head + one, to: "belfry.yaml")
            try run.hear("reloaded: campaigns: 'sale' removed")
            if hour == "09" {
                #expect(try run.tell("10:05:00", "clock.advanced") == ["10:00:00 created news/1"])
            }
            try place.write(head + both, to: "belfry.yaml")
            try run.hear("reloaded: campaigns: 'sale' added")
        }
        #expect(
            try run.tell("11:05:00", "clock.advanced", decisions: 2) == [
                "11:00:00 created sale/1", "11:00:00 created news/2",
            ])
    }

    @Test func `a notification of a campaign that was removed is deleted as the chain says, and can be opened`() throws
    {
        let (head, campaign) = (
            """
            app: shop
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]

            """,
            "campaigns: [ { id: sale, message: Now, triggers: [ { regions: [dam] } ] } ]\n"
        )
        try place.write(head + campaign, to: "belfry.yaml")
        let run = try LiveRun(in: place, "--watch")
        #expect(try run.tell("09:00:00", "enter dam") == ["09:00:00 created sale/1"])
        try place.write(head, to: "belfry.yaml")
        try run.hear("reloaded: campaigns: 'sale' removed")
        #expect(try run.tell("09:01:00", "open sale/1") == ["09:01:00 opened sale/1"])
        #expect(try run.tell("09:02:00", "exit dam") == ["09:02:00 deleted sale/1"])
    }

    // MARK: What cannot wait

    /// A process that is killed in the middle of it all, at any moment, and started again.
    @Test func `a kill during a reload loses nothing and repeats nothing`() throws {
        let signals = (0..<400).map { index in
            #"{"id":"s-\#(index)","type":"notification.requested","subject":"p\#(index % 7)","#
                + #""time":"2026-03-02T09:\#(10 + index / 10):00Z","data":{"campaign":"sale"}}"#
        }
        let undisturbed = try Workplace(["belfry.yaml": Self.configuration(max: "3")])
        _ = try undisturbed.belfry("run", "--output", "out.jsonl", input: signals.asFile)
        try configure(max: "3")
        for life in 1...8 {
            let run = try LiveRun(in: place, "--watch", "--output", "out.jsonl")
            // What may have been lost on its way is sent again.
            try run.send(Array(signals.prefix(life * 40)))
            try run.hear("watching")
            try configure(max: "3", more: "groups: [ { id: g\(life) } ]\n")
            if life % 2 == 0 { try run.hear("reloaded") }
            try run.send(Array(signals[(life * 40)..<(life * 40 + 30)]))
            run.kill()
        }
        let last = try LiveRun(in: place, "--watch", "--output", "out.jsonl")
        try last.send(Array(signals.prefix(380)))
        try last.hear("watching")
        try configure(max: "3")
        try last.hear("reloaded: groups: 'g8' removed")
        try last.send(Array(signals.suffix(20)))
        #expect(try last.end() == 0)
        #expect(try place.text(of: "out.jsonl") == undisturbed.text(of: "out.jsonl"))
    }
}
