import Foundation
import Testing

/// What a subject gets follows from its own signals, and from ticks.
///
/// `BELFRY_CRASH_SIGNALS` and `BELFRY_CRASH_CONFIG` name real ones.
@Suite struct IndependenceTests {
    private let place: Workplace
    /// Of one subject each, with an id, which their decisions name as their cause.
    private let signals: [String]
    private static let end = ["--until", "2100-01-01T00:00:00Z"]

    init() throws {
        let victim = try Load().victim(.fileToFile)
        place = victim.place
        signals = try place.text(of: "signals.jsonl").split(separator: "\n").map(String.init).filter {
            $0.contains(#""id":"#) && Self.subject(of: $0) != nil
        }
    }

    private static func subject(of line: String) -> Substring? { line.firstMatch(of: /"subject":"([^"]+)"/)?.1 }

    /// The decisions of each subject, in their order.
    private func decisions(of signals: [String], shards: Int = 2) throws -> [Substring: [Substring]] {
        try place.write(signals.joined(separator: "\n") + "\n", to: "own.jsonl")
        let name = "own-\(UUID().uuidString).jsonl"
        let result = try place.belfry(
            ["run", "--store", "memory:", "--shards", String(shards), "--signals", "own.jsonl", "--output", name]
                + Self.end, input: Data())
        try #require(result.status == 0 || result.status == 3, "\(result.errors)")
        let lines = try place.text(of: name).split(separator: "\n")
        return Dictionary(grouping: lines) { Self.subject(of: String($0)) ?? "" }
    }

    @Test func `however subjects are interleaved, each gets the same`() throws {
        let together = try decisions(of: signals)
        try #require(together.count > 2)
        let apart = Dictionary(grouping: signals) { Self.subject(of: $0) }.sorted { $0.key! > $1.key! }.flatMap(\.value)
        #expect(try decisions(of: apart) == together)
    }

    @Test func `one with a wrong clock changes nobody else's decisions`() throws {
        let without = try decisions(of: signals)
        var signals = signals
        for part in 1...3 {
            let line =
                #"{"id":"w-\#(part)","type":"app.backgrounded","subject":"stranger","time":"2099-01-01T00:00:00Z"}"#
            signals.insert(line, at: signals.count * part / 4)
        }
        var with = try decisions(of: signals)
        with["stranger"] = nil
        #expect(with == without)
    }

    @Test(arguments: [1, 4]) func `the number of shards changes nothing`(shards: Int) throws {
        #expect(try decisions(of: signals, shards: shards) == decisions(of: signals))
    }
}
