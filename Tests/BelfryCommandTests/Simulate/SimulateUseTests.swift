import BelfryJournal
import BelfryModel
import Foundation
import Testing

/// How `belfry simulate` is asked, and what it says to people.
@Suite struct SimulateUseTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "a.yaml": Self.configuration(max: 2), "b.yaml": Self.configuration(max: 1),
            "signals.jsonl": Self.signals.asFile,
        ])
    }

    private static func configuration(max: Int) -> String {
        """
        app: shop
        store: sqlite:shop.db
        plugins: { directories: [bundled] }
        chain:
          - { strategy: max-per-period, id: cap, parameters: { max: \(max), calendar: day } }
        campaigns: [ { id: sale, message: Half price } ]

        """
    }

    /// Thirty people ask twice each.
    private static let signals = (0..<60).map { number in
        #"{"type":"notification.requested","subject":"p\#(number % 30)","time":"2026-03-02T10:\#(10 + number % 50):00Z","#
            + #""data":{"campaign":"sale"}}"#
    }

    private func simulate(_ arguments: String..., input: String = "") throws -> Command.Result {
        try place.belfry(["simulate", "--config", "a.yaml"] + arguments, input: Data(input.utf8))
    }

    private func seen(_ result: Command.Result) throws -> Int64 {
        #expect(result.status == 0, "\(result.errors)")
        return try JSON(result.output)["subjects"]!.map!["seen"]!.integer!
    }

    @Test func `each side ends when a run of it does, at the last signal that it accepts`() throws {
        let campaigns = "campaigns: [ { id: c, message: Hello }, { id: d, message: Hello } ]\n"
        try place.write("app: shop\n" + campaigns, to: "a.yaml")
        try place.write(
            """
            app: shop
            chain:
              - { strategy: max-per-period, when: { campaign.id: c }, parameters: { max: 0, lifetime: true } }
              - { strategy: schedule, when: { campaign.id: d }, parameters: { periods: [ { hours: ["09:30-10:30"] } ], outside: defer } }
            \(campaigns)
            """, to: "b.yaml")
        func signal(_ type: String, _ time: String, _ data: String) -> String {
            #"{"type":"notification.\#(type)","subject":"ana","time":"2026-03-02T\#(time):00Z","data":{\#(data)}}"#
        }
        let signals = [
            signal("requested", "09:00", #""campaign":"c""#), signal("requested", "09:00", #""campaign":"d""#),
            signal("opened", "10:00", #""notification":"c/1""#),
        ]
        let result = try simulate("--against", "b.yaml", "--json", input: signals.asFile)
        let counts = try #require(try JSON(result.output)["b"]?.map?["counts"]?.map, "\(result.errors)")
        #expect(counts["suppressed"] == 1 && counts["deferred"] == 1 && counts["created"] ?? 0 == 0, "\(counts)")
    }

    // MARK: Samples

    @Test func `a number of subjects is exactly that, and all of their signals`() throws {
        let result = try simulate("--against", "b.yaml", "--signals", "signals.jsonl", "--subjects", "7", "--json")
        #expect(try seen(result) == 7)
        let report = try JSON(result.output)
        #expect(report["a"]!.map!["counts"]!.map!["created"] == 14)
        #expect(report["a"]!.map!["run"]!.map!["lines"] == 14)
        #expect(report["signals"]!.map!["sample"] == ["count": 7, "skipped": 46])
        #expect(
            try seen(simulate("--against", "b.yaml", "--signals", "signals.jsonl", "--subjects", "99", "--json")) == 30)
    }

    @Test func `a share of the subjects comes through a pipe, too, and is the same every time`() throws {
        func sample(_ share: String) throws -> Set<String> {
            let result = try simulate(
                "--against", "b.yaml", "--subjects", share, "--first", "100", "--json", input: Self.signals.asFile)
            let first = try JSON(result.output)["differences"]!.map!["first"]!.list!
            return Set(first.map { $0.map!["subject"]!.text! })
        }
        let (few, many) = (try sample("30%"), try sample("60%"))
        #expect(few == (try sample("30%")))
        #expect((3...18).contains(few.count))
        #expect(few.isStrictSubset(of: many))
        #expect(try sample("100%").count == 30)
    }

    @Test func `the input ends when it does for all, whoever is in the sample`() throws {
        let deferring = """
            app: shop
            chain: [ { strategy: schedule, parameters: { periods: [ { hours: ["12:00-13:00"] } ], outside: defer } } ]
            campaigns: [ { id: sale } ]

            """
        try place.write(deferring, to: "a.yaml")
        let last = #"{"type":"app.foregrounded","subject":"stranger","time":"2026-03-02T12:30:00Z"}"#
        try place.write((Self.signals + [last]).asFile, to: "signals.jsonl")
        // The stranger has no candidate, whichever subjects are in the sample.
        let result = try simulate("--against", "a.yaml", "--signals", "signals.jsonl", "--subjects", "12", "--json")
        let counts = try JSON(result.output)["a"]!.map!["counts"]!.map!
        #expect(counts["created"] == counts["deferred"])
        #expect(counts["created"]!.integer! >= 22)
    }

    @Test func `a number of subjects cannot be chosen from a pipe`() throws {
        let result = try simulate("--against", "b.yaml", "--subjects", "7", input: Self.signals.asFile)
        #expect(result.status == 2)
        #expect(
            result.errors == """
                cannot choose 7 subjects from this input
                  why: for that the signals are read twice, and what comes through a pipe or from a journal can be read once
                  fix: name a file with --signals, or a share such as --subjects 10%

                """)
    }

    // MARK: When

    @Test(
        arguments: [
            (["2026-03-02T10:20:00Z", "2026-03-02T11:00:00Z"], "1h", "2026-03-02T10:00:00Z", 2),
            (["2026-03-02T10:00:00Z", "2026-04-01T10:00:00Z"], "3h", "2026-03-02T09:00:00Z", 241),
            (["2026-01-01T10:00:00Z", "2026-12-31T10:00:00Z"], "1d", "2026-01-01T00:00:00Z", 365),
            // Weeks begin on Monday.
            (["2020-01-01T00:00:00Z", "2022-12-31T00:00:00Z"], "7d", "2019-12-30T00:00:00Z", 157),
            (["1990-01-01T00:00:00Z", "2026-01-01T00:00:00Z"], "56d", "1989-12-04T00:00:00Z", 236),
        ] as [([String], String, String, Int)])
    func `the timeline has as many buckets as can be looked at`(
        times: [String], bucket: String, from: String, count: Int
    ) throws {
        let signals = times.map {
            #"{"type":"notification.requested","subject":"ana","time":"\#($0)","data":{"campaign":"sale"}}"#
        }
        let result = try simulate("--against", "a.yaml", "--json", input: signals.asFile)
        let timeline = try JSON(result.output)["timeline"]!.map!
        #expect(timeline["bucket"] == .text(bucket))
        #expect(timeline["from"] == .text(from))
        let created = timeline["a"]!.map!["created"]!.list!.map { $0.integer! }
        #expect(created == [1] + [Int64](repeating: 0, count: count - 2) + [1])
    }

    // MARK: Actions

    /// The handler would leave a file, and take the process with it.
    @Test func `actions are counted and not run`() throws {
        try PluginFiles.compile([PluginFiles.own("stumble")], into: place.file("plugins"))
        try place.write(
            """
            app: shop
            plugins: { directories: [plugins] }
            campaigns: [ { id: sale, onOpen: { type: stumble } } ]

            """, to: "a.yaml")
        let opened =
            #"{"type":"notification.opened","subject":"p1","time":"2026-03-02T11:00:00Z","data":{"notification":"sale/1"}}"#
        try place.write((Self.signals + [opened]).asFile, to: "signals.jsonl")
        let result = try simulate("--against", "a.yaml", "--signals", "signals.jsonl", "--json")
        #expect(result.status == 0)
        #expect(try JSON(result.output)["a"]!.map!["run"]!.map!["decisions"]!.map!["action.invoked"] == 1)
        #expect(!FileManager.default.fileExists(atPath: place.file("stumbled").path))
    }

    /// Twice a day is once a day for B, so that there is no second one to open.
    @Test func `a signal that only one side knows what to do with is counted, and no fault`() throws {
        let opened =
            #"{"type":"notification.opened","subject":"p1","time":"2026-03-02T11:00:00Z","data":{"notification":"sale/2"}}"#
        try place.write((Self.signals + [opened]).asFile, to: "signals.jsonl")
        let result = try simulate("--against", "b.yaml", "--signals", "signals.jsonl")
        #expect(result.status == 0)
        #expect(result.errors == "")
        #expect(result.output.contains("\nrejected: 0 by a, 1 by b, 0 of them by both\n"))
        let told = try simulate("--against", "b.yaml", "--signals", "signals.jsonl", "--rejects", "rejects.jsonl")
        #expect(told.status == 0)
        #expect(try JSON(place.text(of: "rejects.jsonl"))["side"] == "b")
        let wrong = opened.replacing("sale/2", with: "sale/3")
        try place.write([wrong].asFile, to: "signals.jsonl")
        #expect(try simulate("--against", "b.yaml", "--signals", "signals.jsonl").status == 3)
    }

    // MARK: Refusals

    @Test(
        arguments: [
            ([], "name another configuration with --against, or a trace with --against-trace"),
            (
                ["--against", "b.yaml", "--against-trace", "t"],
                "name another configuration with --against, or a trace with --against-trace"
            ),
            (
                ["--against-trace", "t", "--signals", "signals.jsonl"],
                "a trace has its own signals; leave out --signals, --subjects, --until and --rejects"
            ),
            (
                ["--against", "b.yaml", "--subjects", "0"],
                "'0' is no choice of subjects; write for example 10% or 1000"
            ),
            (
                ["--against", "b.yaml", "--subjects", "101%"],
                "'101%' is no choice of subjects; write for example 10% or 1000"
            ),
            (["--against", "b.yaml", "--first", "10001"], "--first is 10001; expected 0 to 10000"),
        ] as [([String], String)])
    func `what cannot be asked`(arguments: [String], sentence: String) throws {
        let result = try place.belfry(["simulate", "--config", "a.yaml"] + arguments, input: Data())
        #expect(result.status == 2)
        #expect(result.errors.contains(sentence), "\(result.errors)")
    }

    @Test func `what is wrong with the other configuration is told, and nothing is simulated`() throws {
        try place.write(Self.configuration(max: -1), to: "b.yaml")
        let result = try simulate("--against", "b.yaml", "--signals", "signals.jsonl")
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("b.yaml:"))
    }

    @Test func `signals of a journal are named as they were asked for, and a beginning that is gone is told of`() throws
    {
        let folder = place.file("s.db.journal")
        let journal = try Journal(.folder(folder.path), store: "test", checkpoint: 0, segmentSize: 1)
        for signal in Self.signals.prefix(3) {
            var entry = JournalEntry(writtenAt: Instant(milliseconds: 0))
            entry[.signals] = Array((signal + "\n").utf8)
            try journal.append(entry)
        }
        let whole = try simulate("--against", "b.yaml", "--signals", "journal:s.db")
        #expect(whole.errors == "" && whole.output.hasPrefix("3 signals of journal:s.db, 2026-03-02T10:10:00Z to "))
        try FileManager.default.removeItem(at: folder.appending(path: "00000000000000000001.segment"))
        let rest = try simulate("--against", "b.yaml", "--signals", "journal:s.db", "--json")
        #expect(
            rest.errors
                == """
                warning: the journal of 's.db' no longer has its beginning: signals before its entry 3 are missing
                  why: what a checkpoint has come past is dropped
                  fix: 'journal: { keep: 7d }' in the configuration of that store keeps it for longer

                """
        )
        let signals = try JSON(rest.output)["signals"]?.map
        #expect(signals?["file"] == "journal:s.db" && signals?["lines"] == 2)
    }

    @Test func `ticks are processed, as in a run`() throws {
        let lines = [#"{"type":"clock.advanced","time":"2026-03-02T09:00:00Z"}"#, Self.signals[0]].asFile
        let run = try JSON(place.belfry("run", "--config", "a.yaml", "--summary", "json", input: lines).errors)
        let simulated = try JSON(simulate("--against", "b.yaml", "--json", input: lines).output)
        #expect(run["processed"] == 2 && simulated["a"]?.map?["run"]?.map?["processed"] == 2)
    }

    @Test func `a table that counts geotriggers says so`() throws {
        let result = try simulate("--against", "b.yaml", "--signals", "signals.jsonl")
        #expect(result.output.contains("\nCREATED BY CAMPAIGN "), "\(result.output)")
        let place = try Workplace([
            "belfry.yaml": """
            app: a
            regions: [ { id: r, kind: geofence, latitude: 1, longitude: 2, radius: 30 } ]
            campaigns: [ { id: g, kind: geotrigger, triggers: [ { regions: [r] } ] } ]

            """
        ])
        let entry =
            #"{"type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"r"}}"#
        let fired = try place.belfry("simulate", "--against", "belfry.yaml", input: entry)
        #expect(fired.output.contains("\nCREATED OR FIRED BY CAMPAIGN "), "\(fired.output)")
        #expect(fired.output.contains("\ncreated or fired by hour (00-23"), "\(fired.output)")
    }

    @Test func `a journal that is damaged gives no report`() throws {
        let place = try Workplace([
            "belfry.yaml": "app: a\nstore: sqlite:s.db\ncampaigns: [ { id: c } ]\n",
            "b.yaml": "app: a\nstore: sqlite:s.db\nbatch: { signals: 1 }\ncampaigns: [ { id: c } ]\n",
        ])
        let signals = (0..<9).map {
            #"{"type":"notification.requested","subject":"u\#($0)","time":"2026-03-02T09:00:00Z","data":{"campaign":"c"}}"#
        }
        try #require(try place.belfry("run", "--config", "b.yaml", input: signals.asFile).status == 0)
        let words = ["simulate", "--signals", "journal:s.db", "--against", "b.yaml"]
        #expect(try place.belfry(words, input: Data()).status == 0)
        let segment = place.file("s.db.journal/00000000000000000001.segment")
        var bytes = try Data(contentsOf: segment)
        bytes[bytes.count / 2] ^= 0x55
        bytes[bytes.count / 2 + 9] ^= 0x55
        try bytes.write(to: segment)
        for options in [[], ["--json"]] {
            let result = try place.belfry(words + options, input: Data())
            #expect(result.status == 1 && result.output == "", "\(result.errors)")
            #expect(result.errors.contains("cannot use the journal 's.db.journal'\n  why: "))
        }
    }
}
