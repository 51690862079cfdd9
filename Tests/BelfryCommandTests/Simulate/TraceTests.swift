import BelfryModel
import Foundation
import Testing

/// `belfry run --trace`, and what replays it.
@Suite struct TraceTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": BusyStreet.configuration(cap: 4), "signals.jsonl": BusyStreet.signals(300).asFile,
        ])
    }

    private func trace(_ arguments: String...) throws -> Command.Result {
        let arguments = ["run", "--signals", "signals.jsonl", "--trace", "trace.jsonl"] + arguments
        return try place.belfry(arguments, input: Data())
    }

    private func replay(_ arguments: String...) throws -> Command.Result {
        try place.belfry(["simulate", "--against-trace", "trace.jsonl"] + arguments, input: Data())
    }

    private func lines() throws -> [String] {
        try place.text(of: "trace.jsonl").split(separator: "\n").map(String.init)
    }

    private func write(_ lines: some Collection<String>) throws {
        try place.write(Array(lines).asFile, to: "trace.jsonl")
    }

    // MARK: What is in it

    @Test func `a decision comes after its signal, with all that the chain said`() throws {
        try place.write(
            """
            app: shop
            chain:
              - { strategy: once }
              - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
              - { strategy: max-per-period, id: cap }
              - { strategy: cooldown, id: trial, control: observer, parameters: { period: 2h } }
            campaigns: [ { id: sale, message: Half price, with: { once: off } } ]

            """, to: "belfry.yaml")
        let signal =
            #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T10:00:00Z","data":{"campaign":"sale"}}"#
        try place.write([signal, "{", signal.replacing("sale", with: "sail")].asFile, to: "signals.jsonl")
        #expect(try trace().status == 3)
        let lines = try lines()
        #expect(try JSON(lines[0])["config"] == "belfry.yaml")
        #expect(
            try JSON(lines[1]) == JSON(#"{"line":1,"signal":"\#(signal.replacing("\"", with: "\\\""))"}"#))
        let decision = try JSON(lines[2])
        #expect(decision["decision"]!.map!["id"] == "ana:1")
        #expect(
            decision["entries"]!.list!.map(\.json)
                == [
                    #"{"entry":"once","strategy":"once","control":"required","asked":false,"why":"it is off (campaign sale)"}"#,
                    #"{"entry":"cooldown","strategy":"cooldown","control":"required","asked":true,"counter":"sale","#
                        + #""parameters":[{"name":"period","value":"1h","source":"chain"},"#
                        + #"{"name":"from","value":"creation","source":"default"},"#
                        + #"{"name":"boundary","value":"open","source":"default"}],"state":{},"verdict":"allow"}"#,
                    #"{"entry":"cap","strategy":"max-per-period","control":"required","asked":false,"#
                        + #""why":"it needs parameters and has none here"}"#,
                    #"{"entry":"trial","strategy":"cooldown","control":"observer","asked":true,"#
                        + #""parameters":[{"name":"period","value":"2h","source":"chain"},"#
                        + #"{"name":"from","value":"creation","source":"default"},"#
                        + #"{"name":"boundary","value":"open","source":"default"}],"state":{},"verdict":"allow"}"#,
                ].map { try! JSON($0).value.json })
        #expect(lines[3] == #"{"line":2,"rejected":"invalid-json"}"#)
        #expect(lines[5] == #"{"line":3,"rejected":"unknown-campaign"}"#)
        #expect(lines[6...] == [#"{"until":"2026-03-02T10:00:00Z"}"#, #"{"end":true,"decisions":1}"#])
    }

    @Test func `the decisions are those of the output, in order, and a run with a trace decides the same`() throws {
        let result = try trace("--until", "2026-03-20T00:00:00Z")
        let plain = try place.belfry("run", "--signals", "signals.jsonl", "--until", "2026-03-20T00:00:00Z")
        #expect(result.output == plain.output)
        #expect(result.errors == plain.errors)
        let traced = try lines().map { try JSON($0)["decision"]?.map }.compactMap { $0 }
        #expect(traced.count == plain.lines.count)
        for (decision, line) in zip(traced, plain.lines) where decision["type"] != "action.invoked" {
            var expected = try JSON(line).value.map!
            if decision["data"]?.map?["handled"] == .null {
                var data = expected["data"]!.map!
                data["handled"] = .null
                expected["data"] = .map(data)
            }
            #expect(decision == expected)
        }
    }

    // MARK: Replay

    @Test func `a replay gives the same decisions`() throws {
        let decisions = try trace("--until", "2026-03-20T00:00:00Z").lines.count
        let signals = try lines().count { $0.contains(#","signal":"#) }
        let result = try replay()
        #expect(result.output == "the same \(decisions) decisions, from \(signals) signals\n")
        #expect(result.status == 0)
        let json = try JSON(replay("--json").output)
        #expect(
            json.value == [
                "signals": .integer(Int64(signals)), "decisions": .integer(Int64(decisions)), "differing": 0,
                "sameConfiguration": true, "whole": true, "first": [],
            ])
    }

    @Test func `a tick behind a decision replays alike`() throws {
        let signals = try place.text(of: "signals.jsonl").split(separator: "\n").prefix(40).map(String.init)
        let ticks = signals.map { line in
            #"{"type":"clock.advanced","time":"\#(try! JSON(line)["time"]!.text!)"}"#
        }
        try place.write(zip(signals, ticks).flatMap { [$0, $1] }.asFile, to: "signals.jsonl")
        _ = try trace()
        #expect(try replay().status == 0)
    }

    @Test func `another configuration shows in the first decisions that differ`() throws {
        _ = try trace()
        try place.write(BusyStreet.configuration(cap: 1), to: "stricter.yaml")
        let result = try replay("--config", "stricter.yaml", "--first", "100", "--json")
        #expect(result.status == 1)
        let json = try JSON(result.output)
        #expect(json["sameConfiguration"] == false)
        let first = json["first"]!.list!.map { $0.map! }
        #expect(Int64(first.count) == min(100, json["differing"]!.integer!))
        #expect(first.allSatisfy { $0["trace"] != $0["replay"] })
        let types = first.map { [$0["trace"], $0["replay"]].map { $0?.map?["type"]?.text ?? "" } }
        #expect(types.contains(["notification.created", "notification.suppressed"]))
    }

    enum Change: CaseIterable {
        case altered, missing, invented, lastMissing
    }

    @Test(arguments: Change.allCases) func `a trace that was tampered with is found out`(change: Change) throws {
        _ = try trace()
        var lines = try lines()
        // One that is the last of its signal.
        let index = lines.indices.filter {
            lines[$0].contains("notification.suppressed") && lines[$0 + 1].hasPrefix(#"{"line""#)
        }[20]
        switch change {
        case .altered: lines[index] = lines[index].replacing("suppressed", with: "deferred")
        case .missing: lines.remove(at: index)
        case .invented: lines.insert(lines[index], at: index)
        case .lastMissing: lines.remove(at: lines.lastIndex { $0.hasPrefix(#"{"decision""#) }!)
        }
        try write(lines)
        let result = try replay()
        #expect(result.status == 1)
        #expect(
            result.output.hasPrefix("not the same: 1 decisions differ; the trace has "), "\(result.output.prefix(200))")
    }

    @Test func `the trace of a run that was killed is good as far as it goes`() throws {
        _ = try trace()
        let whole = try lines()
        let half = whole[..<(whole.count / 2)]
        try place.write(Array(half).asFile + whole[whole.count / 2].prefix(20), to: "trace.jsonl")
        let result = try replay()
        #expect(result.status == 0)
        #expect(result.output.hasSuffix("\nthe trace has no end: its run was stopped or killed\n"))
    }

    /// A day of the street is behind it, with timers that are still to fire.
    @Test func `what the store knew before the run is part of the trace`() throws {
        let signals = BusyStreet.signals(600)
        try place.write(Array(signals.prefix(400)).asFile, to: "before.jsonl")
        try place.write(Array(signals.dropFirst(400)).asFile, to: "signals.jsonl")
        let store = ["--store", "sqlite:street.db"]
        #expect(try place.belfry(["run", "--signals", "before.jsonl"] + store, input: Data()).status == 3)
        let decisions = try trace(store[0], store[1], "--until", "2026-03-20T00:00:00Z").lines.count
        #expect(try lines().count { $0.hasPrefix(#"{"subject":"#) } > 20)
        let result = try replay()
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("the same \(decisions) decisions, from "), "\(result.output)")
    }

    // MARK: Refusals

    @Test(arguments: ["", "[]\n", "{\"trace\":1}\n", "{\"line\":1}\n"]) func `what is no trace`(text: String) throws {
        try place.write(text, to: "trace.jsonl")
        let result = try replay()
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("cannot replay this trace\n  why: line 1: "), "\(result.errors)")
    }

    @Test func `a trace begins a file of its own`() throws {
        try place.write("mine\n", to: "trace.jsonl")
        let result = try trace()
        #expect(result.status == 2)
        #expect(
            result.errors == """
                there is something in 'trace.jsonl' already
                  why: a trace is of one run, and begins with it
                  fix: name another file with --trace, or remove that one

                """)
        #expect(try place.text(of: "trace.jsonl") == "mine\n")
    }

    @Test func `a trace is of one configuration`() throws {
        let result = try trace("--watch")
        #expect(result.status == 2)
        #expect(result.errors.contains("--trace and --watch do not go together"))
    }
}
