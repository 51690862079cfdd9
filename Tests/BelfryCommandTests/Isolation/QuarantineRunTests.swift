import Foundation
import Testing

/// An entry that is at fault too often is left out for a while, where the time of day passes.
@Suite struct QuarantineRunTests {
    /// - Parameter sin: nil: it answers nonsense, and lives.
    private static func workplace(_ sin: FaultyPlugin.Sin?) throws -> Workplace {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [bundled, plugins] }
            chain: [ { strategy: faulty, control: optional } ]
            campaigns: [ { id: hello, message: Hello, triggers: [ { on: request } ] } ]

            """
        ])
        let kind = sin.map { "KIND=\($0.rawValue)" } ?? "POLITE"
        try PluginFiles.compile([PluginFiles.own("faulty")], into: place.file("plugins"), defining: "RATE=1", kind)
        return place
    }

    private static func signals(_ numbers: Range<Int>) -> String {
        numbers.map { number in
            #"{"id":"s-\#(number)","type":"notification.requested","subject":"u\#(number)","#
                + #""time":"2026-03-02T09:00:00Z","data":{"campaign":"hello"}}"# + "\n"
        }.joined()
    }

    /// The hooks and causes of faults, in order.
    private static func faults(_ decisions: [String]) throws -> [String] {
        try decisions.map { try JSON($0) }.filter { $0["type"] == "strategy.faulted" }.map {
            "\($0["data"]?.map?["hook"]?.text ?? "") \($0["data"]?.map?["cause"]?.text ?? "")"
        }
    }

    @Test func `after the third crash no call is made, within one batch too`() throws {
        let result = try Self.workplace(.crash).belfry(
            "run", "--clock", "wall", "--shards", "1", input: Self.signals(0..<20))
        #expect(result.status == 0, "\(result.errors)")
        let faults = try Self.faults(result.lines)
        let crashes = ["should_create crash", "did_create crash", "should_create crash"]
        #expect(Array(faults.prefix(3)) == crashes)
        #expect(faults.count == 40)
        #expect(faults.dropFirst(3).allSatisfy { $0.hasSuffix(" quarantined") })
        #expect(result.lines.filter { $0.contains("notification.created") }.count == 20, "it is optional")
        #expect(result.errors.contains("entry 'faulty' is quarantined for 1s: it crashed with signal SIGSEGV"))
        #expect(result.errors.contains("faults of 'faulty': 3 crash, 37 quarantined"))
    }

    @Test(arguments: ["thread", "process"])
    func `one that fails by itself is left out from the next batch on`(isolation: String) throws {
        let place = try Self.workplace(nil)
        let run = try LiveRun(in: place, "--clock", "wall", "--isolation", isolation)
        try run.send(Self.signals(0..<3).split(separator: "\n").map(String.init))
        let first = try (0..<9).map { _ in try run.nextDecision() }
        #expect(try Set(Self.faults(first)) == ["should_create nonsense", "did_create error"])
        try run.send(Self.signals(3..<4).split(separator: "\n").map(String.init))
        let next = try (0..<3).map { _ in try run.nextDecision() }
        #expect(try Self.faults(next) == ["should_create quarantined", "did_create quarantined"])
        #expect(try run.end() == 0)
    }

    @Test func `without a clock nobody is left out`() throws {
        let result = try Self.workplace(.crash).belfry("run", input: Self.signals(0..<6))
        #expect(try Set(Self.faults(result.lines)) == ["should_create crash", "did_create crash"])
    }

    @Test func `a service is degraded, names the entry, and tries it again`() async throws {
        let place = try Self.workplace(.exit)
        let service = try LiveService(in: place)
        #expect(try await service.manage("GET", "/readyz").text == "ready\n")
        _ = try await service.post(Self.signals(0..<3), as: "application/x-ndjson")
        let state = try await service.manage("GET", "/readyz?verbose")
        #expect(state.status == 200)
        #expect(state.text.hasPrefix("degraded\n"))
        #expect(state.text.contains("[-] entry faulty: quarantined"))
        let chain = try await service.get("/v1/strategies").json as? [[String: Any]]
        #expect(chain?.first?["quarantined"] as? Bool == true)
        let metrics = try await service.manage("GET", "/metrics").text
        #expect(metrics.contains(#"belfry_faults_total{entry="faulty",cause="quarantined"}"#))
        // A reload that changes nothing does not let it out.
        #expect(try await service.manage("POST", "/-/reload").status == 200)
        #expect(try await service.manage("GET", "/readyz?verbose").text.contains("[-] entry faulty: quarantined"))
        // Tried again when its time is over: it ends one more process.
        var (number, causes) = (3, Set<String>())
        while !causes.contains("exit") {
            let answer = try await service.post(Self.signals(number..<number + 1), as: "application/x-ndjson")
            for cause in ["exit", "quarantined"] where answer.text.contains(#""cause":"\#(cause)""#) {
                causes.insert(cause)
            }
            number += 1
        }
        #expect(service.stop() == 0)
    }

    @Test(arguments: ["thread", "process"])
    func `a question does not call what is quarantined either`(isolation: String) async throws {
        let service = try LiveService(in: try Self.workplace(nil), "--isolation", isolation)
        let question = #"{"subject":"u0","campaign":"hello"}"#
        var isSaid = false
        // It is let out from time to time: both are asked in the meantime, soon or late.
        for number in 0..<200 where !isSaid {
            let decided = try await service.post(Self.signals(number..<number + 1), as: "application/x-ndjson").text
            let answer = try await service.post(question, as: "application/json", to: "/v1/explain").text
            isSaid = decided.contains(#""cause":"quarantined""#) && answer.contains("not called for now")
        }
        #expect(isSaid)
    }
}
