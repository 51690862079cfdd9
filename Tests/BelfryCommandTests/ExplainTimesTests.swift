import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation
import Testing

/// The earliest instant of an explanation, held against runs at that instant and a millisecond before.
@Suite struct ExplainTimesTests {
    private static let campaigns = ["often", "seldom", "daytime", "patient", "vip"]
    private static let subjects = 300
    private static let configuration = """
        app: shop
        timeZone: Europe/Amsterdam
        current: { limit: 1 }
        beacons: { uuid: F7826DA6, exitDelay: 20m }
        chain:
          - { strategy: segmentation, id: vip, control: sufficient }
          - { strategy: cooldown, per: campaign }
          - { strategy: max-per-period, id: cap, parameters: { max: 3, period: 2h } }
          - { strategy: max-per-period, id: day, parameters: { max: 5, calendar: day } }
          - { strategy: schedule }
          - { strategy: background-delay, parameters: { period: 10m } }
        regions: [ { id: shelf, kind: beacon, major: 1 } ]
        campaigns:
          - { id: often, deleteOn: exit, triggers: [ { regions: [shelf] } ], with: { cooldown: { period: 5m } } }
          - { id: seldom, kind: geotrigger, triggers: [ { on: request } ], with: { cooldown: { period: 1d, boundary: closed } } }
          - { id: daytime, kind: geotrigger, with: { schedule: { periods: [ { hours: ["09:00-17:30"], weekdays: [mon, tue] } ] } } }
          - { id: patient, kind: geotrigger, with: { schedule: { periods: [ { hours: ["10:00-11:00"] } ], outside: defer }, cooldown: { period: 3h } } }
          - { id: vip, kind: geotrigger, with: { vip: { tier: gold }, cooldown: { period: 90m } } }

        """
    private let place: Workplace

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration, "signals.jsonl": Self.history().asFile])
        let result = try place.belfry("run", "--signals", "signals.jsonl", "--store", "sqlite:shop.db")
        try #require(result.status == 0, "\(result.errors)")
    }

    /// What happened to all subjects on one Monday, at random.
    private static func history() -> [String] {
        var random = SplitMix64(seed: 20_261_121)
        let day = Instant(rfc3339: "2026-03-02T00:00:00Z")!
        let moments = (0..<subjects * 12).map { _ in
            (day + .milliseconds(Int64(random.next() % 86_400_000)), random.next() % UInt64(subjects), random.next())
        }
        return moments.sorted { $0.0 < $1.0 }.map { time, subject, dice in
            let event =
                switch dice % 10 {
                case 0, 1: #""beacon.ranged","data":{"uuid":"F7826DA6","major":1,"minor":1}"#
                case 2: #""app.backgrounded""#
                case 3 where dice % 40 == 3: #""app.foregrounded""#
                case 4: #""attributes.set","data":{"values":{"tier":"\#(dice % 20 < 10 ? "gold" : "blue")"}}"#
                default: request(campaigns[1 + Int(dice / 16 % 4)])
                }
            return line(event, "s\(subject)", time)
        }
    }

    private static func request(_ campaign: String) -> String {
        #""notification.requested","data":{"campaign":"\#(campaign)"}"#
    }

    private static func line(_ event: String, _ subject: String, _ time: Instant) -> String {
        #"{"type":\#(event),"subject":"\#(subject)","time":"\#(time)"}"#
    }

    /// Asked for all subjects, as the records are after that day.
    private func earliest(of campaign: String) throws -> [(
        subject: String, from: Instant, earliest: Explanation.Earliest
    )] {
        let workspace = try Workspace(
            path: place.file("belfry.yaml").path, executable: Command.folder.appending(path: "belfry").path,
            environment: ["XDG_CACHE_HOME": place.file("cache").path], log: { _ in })
        let engine = try Engine(workspace.load().catalog)
        let store = try SQLiteStore(path: place.file("shop.db").path, readOnly: true)
        defer { store.close() }
        return try store.subjects(after: nil, limit: 1000).map { subject in
            let bytes = try store.record(for: subject)
            let record = try SubjectRecord(subject: subject, reading: try #require(bytes))
            let question = Explanation.Question(campaign: campaign, time: record.latest)
            let explanation = try engine.explain(question, record)
            return (subject, explanation.time, explanation.earliest)
        }
    }

    /// Whom a request of the campaign creates something for, each at a time of their own.
    private func created(_ campaign: String, _ requests: [(subject: String, time: Instant)]) throws -> Set<String> {
        try? FileManager.default.removeItem(at: place.file("copy.db"))
        try FileManager.default.copyItem(at: place.file("shop.db"), to: place.file("copy.db"))
        let lines = requests.sorted { $0.time < $1.time }.map { subject, time in
            let request = Self.line(Self.request(campaign), subject, time)
            return request.dropLast() + #","id":"asked"}"#
        }
        let result = try place.belfry(
            ["run", "--store", "sqlite:copy.db"], input: Data(lines.map(String.init).asFile.utf8))
        try #require(result.status == 0, "\(result.errors)")
        // One that was deferred may be created later, for the same cause.
        let asked = Dictionary(uniqueKeysWithValues: requests.map { ($0.subject, $0.time.description) })
        return Set(
            try result.lines.map { try JSON($0) }.filter { decision in
                decision["cause"] == "asked" && decision["time"]?.text == asked[decision["subject"]?.text ?? ""]
                    && ["notification.created", "geotrigger.fired"].contains(decision["type"]?.text)
            }.compactMap { $0["subject"]?.text })
    }

    @Test(arguments: campaigns) func `a request then is created, and one a millisecond before is not`(
        campaign: String
    ) throws {
        let answers = try earliest(of: campaign)
        #expect(answers.count > Self.subjects - 5)
        let instants = answers.compactMap { answer in
            if case .at(let instant) = answer.earliest { (answer.subject, instant) } else { nil }
        }
        #expect(instants.count > 200)
        #expect(try created(campaign, instants) == Set(instants.map(\.0)))
        let waiting = answers.compactMap { answer -> (String, Instant)? in
            guard case .at(let instant) = answer.earliest, instant > answer.from else { return nil }
            return (answer.subject, instant - .milliseconds(1))
        }
        #expect(try created(campaign, waiting) == [])
        let never = answers.filter { $0.earliest == .never }.map {
            ($0.subject, $0.from + .milliseconds(3_600_000_000))
        }
        #expect(try created(campaign, never) == [])
    }
}

/// The earliest instant of what is collected or deferred, held against a run.
@Suite struct ExplainOnceMoreTests {
    private static func shop(_ chain: String) -> String {
        "app: shop\nstore: sqlite:belfry.db\nchain:\n\(chain)\ncampaigns: [ { id: c, message: Hello }, { id: d, message: Hello } ]\n"
    }

    private static let hours =
        #"{ strategy: schedule, parameters: { periods: [ { hours: ["09:00-10:00"] } ], outside: defer } }"#

    @Test(arguments: [
        // Collected until the shop is closed; the first one that comes when it is open again is let out.
        (
            #"[ { strategy: digest, parameters: { window: 15m } }, { strategy: schedule, parameters: { periods: [ { hours: ["09:00-17:30"] } ] } } ]"#,
            ["17:00:00 app.opened", "17:20:00 request c"], "17:20:00",
            ["17:20:00 collected c", "17:35:00 suppressed c by schedule"],
            "2026-03-03T09:15:00Z"
        ),
        // Deferred by itself: who waits is not counted again.
        (
            "[ { strategy: occurrences, per: campaign, parameters: { count: 2, within: 10m } }, \(hours) ]",
            ["20:00:00 request c", "20:01:00 request c"], "20:01:00",
            [
                "20:00:00 suppressed c by occurrences, schedule", "20:01:00 deferred c by schedule",
                "2026-03-03T09:00:00Z created c/1",
            ],
            "2026-03-03T09:00:00Z"
        ),
        // Collected into a digest that is open already, and closes later for it.
        (
            "[ { strategy: digest, per: subject, parameters: { sliding: { by: 15m, atMost: 1h } } } ]",
            ["17:00:00 request c", "17:10:00 request d"],
            "17:10:00", ["17:00:00 collected c", "17:10:00 collected d", "17:25:00 created c/1"], "2026-03-02T17:25:00Z"
        ),
    ])
    func `it is asked about as it will be`(
        chain: String, told: [String], at: String, decided: [String], earliest: String
    ) throws {
        let story = try Story(Self.shop("  \(chain)"))
        let moments = told.map { ($0.prefix(8), $0.dropFirst(9)) }.map { (time: String($0), what: String($1)) }
        _ = try story.tell(Array(moments.dropLast()))
        let explained = try story.belfry(
            "explain", "--subject", "ana", "--campaign", "c", "--at", "2026-03-02T\(at)Z"
        ).output
        #expect(explained.contains("earliest: \(earliest)"), "\(explained)")
        let found = try Story(Self.shop("  \(chain)")).tell(moments, until: "2026-03-03T12:00:00Z")
        #expect(found == decided)
    }

    @Test func `a signal that two campaigns wait for is asked about for the one that was named`() throws {
        let story = try Story(
            """
            app: shop
            store: sqlite:belfry.db
            chain:
              - { strategy: digest, when: { campaign.id: c }, parameters: { window: 15m } }
              - { strategy: schedule, when: { campaign.id: d }, parameters: { periods: [ { hours: ["09:05-23:00"] } ], outside: defer } }
            campaigns: [ { id: c, triggers: [ { on: mail.received } ] }, { id: d, triggers: [ { on: mail.received } ] } ]
            """)
        _ = try story.tell([("09:00:00", "mail.received")])
        let explained = try story.belfry(
            "explain", "--subject", "ana", "--campaign", "c", "--at", "2026-03-02T09:03:00Z")
        #expect(explained.output.contains("earliest: 2026-03-02T09:15:00Z"), "\(explained)")
    }

    @Test(arguments: ["required", "observer"])
    func `what a digest collects does not move what is refused for ever`(control: String) throws {
        let story = try Story(
            Self.shop(
                """
                  - { strategy: max-per-period, parameters: { max: 1, lifetime: true } }
                  - { strategy: digest, when: { campaign.id: c }, control: \(control), parameters: { window: 1d } }
                """))
        #expect(try story.tell([("09:00:00", "request d")]) == ["09:00:00 created d/1"])
        let explained = try story.belfry(
            "explain", "--subject", "ana", "--campaign", "c", "--at", "2026-03-02T10:00:00Z")
        #expect(explained.output.contains("earliest: never"), "\(explained)")
    }
}
