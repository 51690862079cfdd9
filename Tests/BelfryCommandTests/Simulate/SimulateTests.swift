import BelfryModel
import Foundation
import Testing

/// `belfry simulate`, held against two runs of the same signals.
@Suite struct SimulateTests {
    /// The signals, decided once for all tests.
    private static let street = Result { try Street() }
    private let street: Street
    private var runs: [Street.Run] { street.runs }
    private var report: JSON { street.report }
    private var place: Workplace { street.place }

    init() throws { street = try Self.street.get() }

    private func side(_ name: String) -> Fields { report[name]!.map! }

    private var sides: [(fields: Fields, run: Street.Run)] { [(side("a"), runs[0]), (side("b"), runs[1])] }

    @Test func `each side decides what a run of its own decides`() throws {
        #expect(street.status == 3)
        for (fields, run) in sides { #expect(fields["run"] == run.summary) }
        #expect(runs[0].decisions.count > 1000)
        #expect(side("a")["fingerprint"] != side("b")["fingerprint"])
    }

    @Test func `a line is rejected once if both reject it, else with the side that does`() throws {
        let lines = try place.text(of: "both.rejects").split(separator: "\n").map(String.init)
        for (side, other, run) in [("a", "b", runs[0]), ("b", "a", runs[1])] {
            let own = lines.filter { !$0.contains(#""side":"\#(other)""#) }
            #expect(own.map { $0.replacing(#""side":"\#(side)","#, with: "") } == run.rejects)
        }
        #expect(lines.contains { $0.contains(#""side":"b""#) && $0.contains("coupon") })
        #expect(lines.contains { !$0.contains(#""side""#) && $0.contains("nowhere") })
    }

    @Test func `what came of it is counted by campaign, group, hour and weekday`() throws {
        for (fields, run) in sides {
            let asked = run.decisions.filter(\.isCounted)
            #expect(fields["counts"] == Decided.counts(asked))
            for campaign in fields["campaigns"]!.list! {
                #expect(
                    campaign.map!["counts"]
                        == Decided.counts(asked.filter { $0.campaign == campaign.map!["id"]!.text! }))
            }
            let quiet = asked.filter { ["welcome", "cart"].contains($0.campaign) }
            #expect(fields["groups"]!.list![1] == ["id": "quiet", "counts": Decided.counts(quiet)])
            for hour in 0..<24 {
                #expect(fields["hours"]!.list![hour] == Decided.counts(asked.filter { $0.local.hour == hour }))
            }
            for (index, weekday) in [2, 3, 4, 5, 6, 7, 1].enumerated() {
                let onDay = asked.filter { $0.local.weekday == weekday }
                #expect(fields["weekdays"]!.list![index] == Decided.counts(onDay))
                for (heat, outcomes) in [
                    ("created", ["created", "fired"]), ("suppressed", ["suppressed", "deferred"]),
                ] {
                    let row = fields["heat"]!.map![heat]!.list![index].list!
                    #expect(
                        row
                            == (0..<24).map { hour in
                                .integer(
                                    Int64(onDay.count { $0.local.hour == hour && outcomes.contains($0.outcome) }))
                            })
                }
            }
        }
    }

    @Test func `notifications are counted by subject and day`() throws {
        for (fields, run) in sides {
            let asked = run.decisions.filter { $0.isCounted && !$0.isAboutDeletion }
            let days = Dictionary(grouping: asked) { "\($0.subject) \($0.local.date)" }
                .values.map { $0.count { $0.outcome == "created" } }
            let with = days.filter { $0 > 0 }.sorted()
            let perDay = fields["perDay"]!.map!
            #expect(perDay["days"] == .integer(Int64(days.count)))
            #expect(perDay["without"] == .integer(Int64(days.count - with.count)))
            for count in 1...with.last! {
                let entry = perDay["histogram"]!.list!.first { $0.map!["count"]!.integer! == count }
                #expect(entry?.map?["days"]?.integer ?? 0 == with.count { $0 == count })
            }
            for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
                let rank = max(1, Int((Double(with.count) * share).rounded(.up)))
                #expect(perDay[name] == .integer(Int64(with[rank - 1])))
            }
            #expect(perDay["max"] == .integer(Int64(with.last!)))
        }
    }

    @Test func `each entry tells what it was asked and what it said`() throws {
        for (fields, run) in sides {
            for entry in fields["entries"]!.list!.map({ $0.map! }) {
                func number(_ name: String) -> Int { Int(entry[name]!.map?["total"]?.integer ?? entry[name]!.integer!) }
                let id = entry["id"]!.text!
                let said = number("denied") + number("deferred") + number("observed")
                #expect(number("asked") == number("allowed") + number("abstained") + said + number("faulted"))
                #expect(number("denied") + number("deferred") == run.decisions.flatMap(\.refusing).count { $0 == id })
                #expect(number("observed") == run.decisions.flatMap(\.observing).count { $0 == id })
                #expect(number("suppressed") == run.decisions.count { $0.refusing.contains(id) })
                #expect(number("alone") == run.decisions.count { Set($0.refusing) == [id] })
                #expect(
                    number("createdAnyway") == run.decisions.count { $0.isCreation && $0.observing.contains(id) })
            }
            let slots = run.decisions.count { $0.hostCodes.contains("slot-taken") }
            #expect(fields["host"]!.list!.contains(["code": "slot-taken", "count": .integer(Int64(slots))]))
        }
        #expect(side("a")["entries"]!.list![1].map!["createdAnyway"]!.integer! > 0)
    }

    @Test func `how long refusals last`() throws {
        for (fields, run) in sides {
            let refused = run.decisions.filter(\.isRefusal)
            let waits = refused.compactMap(\.wait).sorted()
            let times = fields["timeToNext"]!.map!
            #expect(times["known"] == .integer(Int64(waits.count)))
            #expect(times["unknown"] == .integer(Int64(refused.count - waits.count)))
            #expect(times["max"] == .text(waits.last!.description))
            let belowAnHour = times["histogram"]!.list!.prefix(4).reduce(0) { $0 + $1.map!["count"]!.integer! }
            #expect(belowAnHour == waits.count { $0 < .hours(1) })
            let middle = waits[(waits.count + 1) / 2 - 1].milliseconds
            let p50 = try #require(times["p50"]?.text.flatMap(Duration.init(text:))).milliseconds
            #expect(p50 >= middle && (p50 - middle) * 16 <= middle)
        }
    }

    // MARK: One beside the other

    @Test func `who gains and who loses`() throws {
        var differences: [String: Int] = [:]
        for (sign, run) in zip([-1, 1], runs) {
            for decided in run.decisions where decided.isCounted && !decided.isAboutDeletion {
                differences[decided.subject, default: 0] += decided.outcome == "created" ? sign : 0
            }
        }
        let subjects = report["subjects"]!.map!
        #expect(subjects["seen"] == .integer(Int64(differences.count)))
        #expect(subjects["gain"] == .integer(Int64(differences.values.count { $0 > 0 })))
        #expect(subjects["lose"] == .integer(Int64(differences.values.count { $0 < 0 })))
        let least = differences.min { ($0.value, $0.key) < ($1.value, $1.key) }!
        #expect(subjects["mostLost"]!.list![0].map!["subject"] == .text(least.key))
        for entry in subjects["change"]!.list!.map({ $0.map! }) {
            #expect(entry["subjects"]!.integer! == differences.values.count { $0 == entry["delta"]!.integer! })
        }
    }

    @Test func `the same candidate is compared on both sides`() throws {
        let groups = runs.map { Dictionary(grouping: $0.decisions.filter(\.isCounted), by: \.key) }
        var transitions: [String: Int] = [:]
        var compared = 0
        for key in Set(groups[0].keys).union(groups[1].keys) {
            var (a, b) = (groups[0][key] ?? [], groups[1][key] ?? [])
            // What one signal came to on both sides is one pair, the rest are pairs in order.
            for decided in a {
                guard let other = b.firstIndex(where: decided.isAlike) else { continue }
                a.remove(at: a.firstIndex(where: decided.isAlike)!)  // itself, or one like it
                b.remove(at: other)
                compared += 1
            }
            for index in 0..<max(a.count, b.count) {
                compared += 1
                let outcomes = [a, b].map { $0.indices.contains(index) ? $0[index].outcome : "none" }
                if outcomes[0] != outcomes[1] { transitions[outcomes.joined(separator: " "), default: 0] += 1 }
            }
        }
        let differences = report["differences"]!.map!
        #expect(differences["compared"] == .integer(Int64(compared)))
        #expect(differences["outcome"] == .integer(Int64(transitions.values.reduce(0, +))))
        let found = differences["transitions"]!.list!.map { $0.map! }.map {
            ("\($0["a"]!.text!) \($0["b"]!.text!)", Int($0["count"]!.integer!))
        }
        #expect(Dictionary(uniqueKeysWithValues: found) == transitions)
        let rows = differences["biggest"]!.list!.map { $0.map! }
        #expect(rows.reduce(0) { $0 + $1["count"]!.integer! } == differences["outcome"]!.integer!)
        #expect(rows.allSatisfy { (1...5).contains($0["samples"]!.list!.count) })
        #expect(differences["first"]!.list!.count == 10)
    }

    @Test func `the timeline has all of it`() throws {
        let timeline = report["timeline"]!.map!
        for (name, run) in zip(["a", "b"], runs) {
            let created = timeline[name]!.map!["created"]!.list!
            #expect(created.count <= 400)
            #expect(created.reduce(0) { $0 + $1.integer! } == run.decisions.count(where: \.isCreation))
        }
        let from = try #require(timeline["from"]?.text.flatMap(Instant.init(rfc3339:)))
        let first = runs[0].decisions.first(where: \.isRefusalOrCreation)!.time
        #expect(from <= first && first < from + .seconds(timeline["seconds"]!.integer!))
    }

    @Test func `nothing is stored, and in a pipe nothing is said but the report`() throws {
        try place.write(BusyStreet.configuration(cap: 4) + "\nstore: sqlite:street.db\n", to: "c.yaml")
        let result = try place.belfry(
            "simulate", "--config", "c.yaml", "--against", "b.yaml", "--signals", "signals.jsonl", "--rejects", "more")
        #expect(result.errors == "")
        #expect(!FileManager.default.fileExists(atPath: place.file("street.db").path))
    }
}

/// What two runs say of the signals, and a simulation.
private struct Street {
    struct Run {
        let summary: Value
        let decisions: [Decided]
        let rejects: [String]
    }

    private static let until = "2026-03-20T00:00:00Z"
    let place: Workplace
    /// Of either configuration.
    let runs: [Run]
    let status: Int32
    let report: JSON

    init() throws {
        let place = try Workplace([
            "a.yaml": BusyStreet.configuration(cap: 4),
            "b.yaml": BusyStreet.configuration(cap: 2, trial: "required", hasCoupon: false),
            "signals.jsonl": BusyStreet.signals(1500).asFile,
        ])
        self.place = place
        runs = try ["a", "b"].map { name in
            let result = try place.belfry(
                "run", "--config", "\(name).yaml", "--signals", "signals.jsonl", "--until", Self.until, "--summary",
                "json", "--rejects", "\(name).rejects")
            try #require(result.status == 3, "\(result.errors)")
            let summary = try JSON(#require(result.errors.split(separator: "\n").last.map(String.init)))
            return Run(
                summary: summary.value, decisions: try result.lines.map { try Decided(JSON($0)) },
                rejects: try place.text(of: "\(name).rejects").split(separator: "\n").map(String.init))
        }
        let simulated = try place.belfry(
            "simulate", "--config", "a.yaml", "--against", "b.yaml", "--signals", "signals.jsonl", "--until",
            Self.until, "--rejects", "both.rejects", "--json")
        status = simulated.status
        report = try JSON(simulated.output)
    }
}

/// A decision of a run, as far as simulations count it.
private struct Decided {
    let subject: String
    let time: Instant
    let type: String
    private let cause: String
    private let data: Fields

    init(_ line: JSON) throws {
        subject = line["subject"]!.text!
        cause = line["cause"]!.text!
        time = Instant(rfc3339: line["time"]!.text!)!
        type = line["type"]!.text!
        data = line["data"]!.map!
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = BusyStreet.zone(of: subject)
        let date = Date(timeIntervalSince1970: Double(time.milliseconds) / 1000)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .weekday], from: date)
        local = (parts.hour!, parts.weekday!, "\(parts.year!)-\(parts.month!)-\(parts.day!)")
    }

    static let outcomes = ["created", "fired", "suppressed", "deferred", "deleted", "kept", "collected", "withheld"]
    var outcome: String { String(type.split(separator: ".")[1]) }
    var isCounted: Bool { Self.outcomes.contains(outcome) }
    var isCreation: Bool { ["created", "fired"].contains(outcome) }
    var isRefusal: Bool { ["suppressed", "deferred"].contains(outcome) }
    var isRefusalOrCreation: Bool { isCreation || isRefusal }
    var isAboutDeletion: Bool { ["deleted", "kept"].contains(outcome) }
    var campaign: String { data["campaign"]!.text! }
    var key: String {
        [subject, "\(time)", campaign, data["trigger"]?.text ?? "", data["region"]?.text ?? "", "\(isAboutDeletion)"]
            .joined(separator: " ")
    }
    /// Whether it is what the same signal came to, of those with one key.
    func isAlike(_ other: Decided) -> Bool { cause == other.cause && outcome == other.outcome }
    private var reasons: [Fields] { isRefusal ? data["reasons"]!.list!.map { $0.map! } : [] }
    var refusing: [String] { reasons.map { $0["strategy"]!.text! } }
    var hostCodes: [String] { reasons.filter { $0["strategy"] == "belfry" }.map { $0["code"]!.text! } }
    var observing: [String] { (data["observed"]?.list ?? []).map { $0.map!["strategy"]!.text! } }
    var wait: Duration? { data["until"]?.text.flatMap(Instant.init(rfc3339:)).map { $0 - time } }

    /// What the clock shows where they are.
    let local: (hour: Int, weekday: Int, date: String)

    static func counts(_ decisions: [Decided]) -> Value {
        .map(Fields(outcomes.map { name in (name, .integer(Int64(decisions.count { $0.outcome == name }))) }))
    }
}
