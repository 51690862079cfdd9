import BelfryModel
import Foundation
import Testing

/// Another configuration that decides what a run decides.
@Suite struct ShadowTests {
    private static let configuration = BusyDay.configuration(batch: 12)
    /// Fewer a period, and other words.
    private static let other = configuration.replacing("max: 4", with: "max: 2").replacing("Thank you", with: "Thanks")

    private func place(_ signals: Int = 300) throws -> Workplace {
        try Workplace([
            "belfry.yaml": Self.configuration, "other.yaml": Self.other,
            "signals.jsonl": BusyDay.signals(signals, seed: 3).asFile,
        ])
    }

    private func run(_ place: Workplace, _ shadow: String, _ store: String, _ signals: String = "signals.jsonl") throws
        -> Fields
    {
        let result = try place.belfry(
            "run", "--signals", signals, "--store", store, "--shadow", shadow, "--until", BusyDay.until, "--summary",
            "json", "--rejects", "rejects.jsonl", "--output", "decisions.jsonl")
        let summary = try #require(result.errors.split(separator: "\n").last, "\(result.errors)")
        return try #require(try JSON(String(summary))["shadow"]?.map, "\(summary)")
    }

    @Test(arguments: ["memory:", "sqlite:s.db"])
    func `the same configuration decides the same`(store: String) throws {
        let shadow = try run(try place(), "belfry.yaml", store)
        #expect(shadow["compared"]!.integer! > 100)
        #expect(shadow["same"] == shadow["compared"])
        #expect(shadow["behind"]?.integer == 0)
    }

    @Test(arguments: ["memory:", "sqlite:s.db"])
    func `another one differs as a simulation says`(store: String) throws {
        let place = try place()
        let shadow = try run(place, "other.yaml", store)
        try expectSimulated(shadow, place)
        #expect(shadow["outcome"]!.integer! > 5 && shadow["content"]!.integer! > 0)
    }

    private func expectSimulated(_ shadow: Fields, _ place: Workplace) throws {
        let simulated = try place.belfry(
            "simulate", "--against", "other.yaml", "--signals", "signals.jsonl", "--until", BusyDay.until, "--json")
        let differences = try JSON(simulated.output)["differences"]!.map!
        for name in ["compared", "same", "outcome", "content", "reasons", "transitions"] {
            #expect(shadow[name] == differences[name], "\(name)")
        }
    }

    /// Of three campaigns with one digest of two items, the third has opened the digest that the first one fills in the next signal. And
    /// of three signals at one instant, the second fills a digest of two, the third one of three.
    @Test(arguments: [
        (
            ["window: 1h", "window: 1h, items: 2"], ["x", "y", "z"], ["09:00", "09:01"], 10,
            [["none", "created"]: 3, ["created", "none"]: 1]
        ),
        (
            ["window: 1h, items: 2", "window: 1h, items: 3"], ["x"], ["09:00", "09:00", "09:00"], 5,
            [["created", "none"]: 1]
        ),
    ])
    func `an item is compared with an item, and the close of a digest with a close`(
        digests: [String], campaigns: [String], times: [String], compared: Int, differences: [[String]: Int]
    ) throws {
        let place = try Workplace(["signals.jsonl": times.enumerated().map { Self.purchase($0, at: $1) }.asFile])
        for (name, digest) in zip(["belfry.yaml", "other.yaml"], digests) {
            try place.write(Self.shop(digest, campaigns), to: name)
        }
        let shadow = try run(place, "other.yaml", "memory:")
        try expectSimulated(shadow, place)
        #expect(shadow["compared"] == .integer(Int64(compared)))
        let transitions = (shadow["transitions"]?.list ?? []).compactMap { $0.map }
        let found = transitions.map { ([$0["a"]?.text ?? "", $0["b"]?.text ?? ""], Int($0["count"]?.integer ?? 0)) }
        #expect(Dictionary(uniqueKeysWithValues: found) == differences)
    }

    private static func purchase(_ number: Int, at time: String) -> String {
        #"{"id":"s-\#(number)","type":"purchase","subject":"ana","time":"2026-03-02T\#(time):00Z"}"#
    }

    private static func shop(_ digest: String, _ campaigns: [String]) -> String {
        """
        app: shop
        chain: [ { strategy: digest, per: subject, parameters: { \(digest) } } ]
        campaigns:
        \(campaigns.map { "  - { id: \($0), message: Hello, triggers: [ { on: purchase } ] }" }.joined(separator: "\n"))

        """
    }

    @Test func `what differs is listed`() throws {
        let place = try place()
        let shadow = try run(place, "other.yaml", "sqlite:s.db")
        let list = { (arguments: String...) in
            try place.belfry(["decisions", "list", "--shadow", "--store", "sqlite:s.db"] + arguments, input: Data())
        }
        let lines = try list().lines
        #expect(lines.count == ["outcome", "content", "reasons"].reduce(0) { $0 + Int(shadow[$1]!.integer!) })
        let content = try #require(lines.first { $0.contains(#""kind":"content""#) })
        #expect(content.contains(#""message":"Thank you""#) && content.contains(#""message":"Thanks""#))
        let page = try JSON(try list("--json", "--limit", "3", "--type", "notification.suppressed").output)
        #expect(page["shadow"]?.text == "other.yaml" && page["compared"] == shadow["compared"])
        #expect(try list("--after", "d0").status == 2)

        let subject = try #require(try JSON(lines[0])["subject"]?.text)
        #expect(try place.belfry("state", "erase", subject, "--store", "sqlite:s.db").status == 0)
        #expect(try !list().output.contains(#""subject":"\#(subject)""#))
        #expect(try list().lines.count < lines.count)
        let left = try place.belfry("state", "show", subject, "--store", "sqlite:s.db.shadow")
        #expect(left.status != 0, "\(left.output)")
    }

    @Test func `what another shadow did is not listed with the counts of this one`() throws {
        let place = try place()
        _ = try run(place, "other.yaml", "sqlite:s.db")
        let before = try place.belfry("decisions", "list", "--shadow", "--store", "sqlite:s.db")
        try place.write(Self.configuration, to: "other.yaml")
        let shadow = try run(place, "other.yaml", "sqlite:s.db")
        let after = try place.belfry("decisions", "list", "--shadow", "--store", "sqlite:s.db")
        let counted = ["outcome", "content", "reasons"].reduce(0) { $0 + Int(shadow[$1]!.integer!) }
        #expect(!before.lines.isEmpty && after.lines.count == counted, "\(after.output)")
    }

    @Test func `it begins with what the run knows`() throws {
        let place = try place()
        let signals = BusyDay.signals(300, seed: 3)
        try place.write(signals.prefix(150).map { $0 }.asFile, to: "first.jsonl")
        try place.write(signals.dropFirst(150).map { $0 }.asFile, to: "second.jsonl")
        let first = try place.belfry(
            "run", "--signals", "first.jsonl", "--store", "sqlite:s.db", "--rejects", "r", "--output", "o")
        #expect([0, 3].contains(first.status), "\(first.errors)")
        let shadow = try run(place, "belfry.yaml", "sqlite:s.db", "second.jsonl")
        #expect(shadow["compared"]!.integer! > 50 && shadow["same"] == shadow["compared"])
    }

    @Test func `counts begin anew with another configuration`() throws {
        let place = try place(100)
        #expect(try run(place, "other.yaml", "sqlite:s.db")["compared"]!.integer! > 0)
        try place.write("", to: "none.jsonl")
        let shadow = try run(place, "belfry.yaml", "sqlite:s.db", "none.jsonl")
        #expect(shadow["shadow"]?.text == "belfry.yaml" && shadow["compared"]?.integer == 0)
    }

    @Test func `the shadow of another store is refused`() throws {
        let place = try place(20)
        _ = try run(place, "other.yaml", "sqlite:s.db")
        for name in ["", ".journal"] {
            try FileManager.default.copyItem(
                at: place.file("s.db.shadow\(name)"), to: place.file("t.db.shadow\(name)"))
        }
        let result = try place.belfry(
            "run", "--signals", "signals.jsonl", "--store", "sqlite:t.db", "--shadow", "other.yaml")
        #expect(result.status == 1)
        #expect(result.errors.contains("why: it is the shadow of another store"), "\(result.errors)")
    }

    @Test func `what a configuration lacks is said before anything is decided`() throws {
        let place = try place(20)
        try place.write("app: shop\nchain: [{ strategy: nope }]", to: "bad.yaml")
        let result = try place.belfry(
            "run", "--signals", "signals.jsonl", "--store", "sqlite:s.db", "--shadow", "bad.yaml")
        #expect(result.status == 2 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains("bad.yaml") && result.errors.contains("nope"))
    }

    /// What comes after it is what the shadow alone would have come to, but for numbers.
    @Test func `a promotion goes on with what the shadow knows`() throws {
        let halves = try Halves()
        _ = try halves.decide("other.yaml", "first", "alone.db")
        let alone = try halves.decide("other.yaml", "second", "alone.db")
        let before = try halves.decide("belfry.yaml", "first", "s.db", "--shadow", "other.yaml")
        let promoted = try halves.promote()
        #expect(promoted.status == 0 && promoted.output.contains("are those of the shadow now"), "\(promoted.errors)")
        let after = try halves.decide("other.yaml", "second", "s.db", "--shadow", "belfry.yaml")
        expectSame(Halves.withoutNumbers(after), Halves.withoutNumbers(alone), "promoted")
        let ids = (before + after).compactMap { $0.firstMatch(of: /"id":"([^"]*)"/)?.1 }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `a second promotion takes the first one back`() throws {
        let halves = try Halves()
        _ = try halves.decide("belfry.yaml", "first", "alone.db")
        let alone = try halves.decide("belfry.yaml", "second", "alone.db")
        _ = try halves.decide("belfry.yaml", "first", "s.db", "--shadow", "other.yaml")
        for _ in 0..<2 { #expect(try halves.promote().status == 0) }
        let after = try halves.decide("belfry.yaml", "second", "s.db")
        expectSame(Halves.withoutNumbers(after), Halves.withoutNumbers(alone), "taken back")
    }

    @Test func `a promotion that is killed goes on, and nothing else until then`() throws {
        let halves = try Halves()
        let place = halves.place
        _ = try halves.decide("belfry.yaml", "first", "s.db", "--shadow", "other.yaml")
        let saved = try files(of: place)
        for name in saved { try copy(name, to: "saved-" + name, in: place) }
        let states = {
            try ["s.db", "s.db.shadow"].flatMap { store in
                try ["ana", "eva"].map {
                    try place.belfry("state", "export", $0, "--store", "sqlite:\(store)").output
                }
            }
        }
        #expect(try halves.promote().status == 0)
        let wanted = try states()
        var (kills, refusals) = (0, 0)
        let isLong = ProcessInfo.processInfo.environment["BELFRY_KILLS"] != nil
        for call in stride(from: 1, to: .max, by: isLong ? 1 : 13) {
            for name in try files(of: place) { try FileManager.default.removeItem(at: place.file(name)) }
            for name in saved { try copy("saved-" + name, to: name, in: place) }
            let first = try place.belfry(
                "state", "promote", "--store", "sqlite:s.db",
                environment: Strike(call: call, how: .before, file: "s.db").environment)
            guard first.status == -SIGKILL else { break }
            kills += 1
            let early = try place.belfry("run", "--store", "sqlite:s.db", "--config", "other.yaml")
            let isUnderway = early.errors.contains("a promotion of its shadow is not finished")
            if isUnderway { refusals += 1 }
            if isUnderway, refusals == 1 { try expectNoReader(place) }
            // One that has not begun changes nothing, and one that is finished is not to be taken back.
            if try isUnderway || states() != wanted { #expect(try halves.promote().status == 0) }
            #expect(try states() == wanted, "killed at call \(call)")
        }
        #expect(kills > 3 && refusals > 1)
    }

    private func expectNoReader(_ place: Workplace) throws {
        for reader in [["state", "list"], ["state", "export", "--all"], ["state", "verify"], ["decisions", "list"]] {
            let result = try place.belfry(reader + ["--store", "sqlite:s.db"], input: Data())
            #expect(result.status == 1 && result.output == "", "\(reader)")
            #expect(result.errors.contains("a promotion of its shadow is not finished"), "\(result.errors)")
        }
    }

    /// Of the store and its shadow, with what SQLite has beside them.
    private func files(of place: Workplace) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.url.path).filter { $0.hasPrefix("s.db") }
    }

    private func copy(_ name: String, to copy: String, in place: Workplace) throws {
        try FileManager.default.copyItem(at: place.file(name), to: place.file(copy))
    }

    /// A day whose second half is decided after something has happened.
    private struct Halves {
        let place: Workplace

        init() throws {
            let signals = BusyDay.signals(300, seed: 3)
            place = try Workplace([
                "belfry.yaml": configuration, "other.yaml": other, "first.jsonl": Array(signals[..<150]).asFile,
                "second.jsonl": Array(signals[150...]).asFile,
            ])
        }

        func decide(_ configuration: String, _ half: String, _ store: String, _ more: String...) throws -> [String] {
            let output = "\(half).\(store).decisions"
            let result = try place.belfry(
                [
                    "run", "--config", configuration, "--signals", "\(half).jsonl", "--store", "sqlite:\(store)",
                    "--output", output, "--rejects", "rejects",
                ] + more, input: Data())
            #expect([0, 3].contains(result.status), "\(result.errors)")
            return try place.text(of: output).split(separator: "\n").map(String.init)
        }

        func promote() throws -> Command.Result { try place.belfry("state", "promote", "--store", "sqlite:s.db") }

        static func withoutNumbers(_ lines: [String]) -> [String] {
            lines.map { $0.replacing(/"(id|notification)":"[^"]*"/, with: "") }
        }
    }

    @Test func `a promotion needs a shadow that has decided all`() throws {
        let place = try place(40)
        let promote = { try place.belfry("state", "promote", "--store", "sqlite:s.db") }
        _ = try run(place, "other.yaml", "memory:")
        _ = try place.belfry("run", "--signals", "signals.jsonl", "--store", "sqlite:s.db", "--rejects", "r")
        #expect(try promote().errors.contains("there is nothing to promote"))
        _ = try run(place, "other.yaml", "sqlite:s.db")
        try place.write(
            #"{"id":"late","type":"purchase","subject":"ana","time":"2026-03-05T09:00:00Z"}"# + "\n", to: "late.jsonl")
        let late = try place.belfry("run", "--signals", "late.jsonl", "--store", "sqlite:s.db", "--output", "o")
        #expect(late.status == 0, "\(late.errors)")
        let refused = try promote()
        #expect(refused.status == 1 && refused.errors.contains("has not decided all"), "\(refused.errors)")
        try place.write("", to: "none.jsonl")
        _ = try run(place, "other.yaml", "sqlite:s.db", "none.jsonl")
        #expect(try promote().status == 0)
    }

    /// Each is compared once, whatever is killed when.
    @Test func `a kill changes nothing`() throws {
        let wanted = try run(try place(60), "other.yaml", "sqlite:s.db")
        let isLong = ProcessInfo.processInfo.environment["BELFRY_KILLS"] != nil
        var victim = try Victim(Self.configuration, signals: BusyDay.signals(60, seed: 3))
        victim.arguments = ["--shadow", "other.yaml", "--until", BusyDay.until]
        var kills = 0
        for file in ["s.db.shadow", "s.db"] {
            for call in stride(from: 3, to: 200, by: isLong ? 1 : 61) {
                let victim = victim
                try clear(victim.place)
                try victim.place.write(Self.other, to: "other.yaml")
                try victim.place.write("", to: "none.jsonl")
                let first = try victim.live(Strike(call: call, how: .half, file: file))
                guard first.status == -SIGKILL else { break }
                kills += 1
                if !victim.isDone { _ = try victim.live(Strike(call: call / 2 + 1, how: .after, file: file)) }
                if !victim.isDone { _ = try victim.live() }
                // A file that is done would be read again.
                let last = try victim.place.belfry(
                    "run", "--signals", "none.jsonl", "--store", "sqlite:s.db", "--shadow", "other.yaml")
                #expect([0, 3].contains(last.status), "\(last.errors)")
                let report = try victim.place.belfry(
                    "decisions", "list", "--shadow", "--json", "--store", "sqlite:s.db")
                let found = try JSON(report.output)
                for name in ["compared", "outcome", "content", "reasons", "transitions"] {
                    #expect(found[name] == wanted[name], "\(name), killed at call \(call) on \(file)")
                }
            }
        }
        #expect(kills > 3)
    }

    private func clear(_ place: Workplace) throws {
        for name in try files(of: place) + ["decisions.jsonl", "rejects.jsonl"] {
            try? FileManager.default.removeItem(at: place.file(name))
        }
    }
}
