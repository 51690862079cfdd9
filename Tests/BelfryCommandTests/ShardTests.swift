import Foundation
import FuzzInput
import Testing

/// However many threads share the subjects, the same comes out.
@Suite struct ShardTests {

    private struct Remains {
        var status: Int32
        var decisions: String
        var rejects: String
        /// Warnings come in the order of shards.
        var summary: [Substring]

        /// What is not the same, in a word.
        func differences(from other: Remains) -> [String] {
            [
                status == other.status ? nil : "status", decisions == other.decisions ? nil : "decisions",
                rejects == other.rejects ? nil : "rejects", summary == other.summary ? nil : "summary",
            ].compactMap { $0 }
        }
    }

    private func run(_ place: Workplace, shards: Int, _ more: String...) throws -> Remains {
        let (output, rejects) = ("decisions-\(shards).jsonl", "rejects-\(shards).jsonl")
        let result = try place.belfry(
            ["run", "--shards", String(shards), "--signals", "signals.jsonl", "--output", output, "--rejects", rejects]
                + more, input: Data())
        return Remains(
            status: result.status, decisions: try place.text(of: output), rejects: try place.text(of: rejects),
            summary: result.errors.split(separator: "\n").sorted())
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `lines that are nearly right come to the same with any number of shards`(seed: UInt64) throws {
        let place = try Workplace(["belfry.yaml": FuzzCorpus.configuration])
        var fuzzer = LineFuzzer(seed: seed, corpus: try FuzzCorpus.signals)
        try Data(fuzzer.next(6000)).write(to: place.file("signals.jsonl"))
        let alone = try run(place, shards: 1, "--until", "2026-06-01T00:00:00Z")
        #expect(alone.status == 3 && alone.decisions.contains("notification.deferred"))
        for shards in [2, 3, 7] {
            let shared = try run(place, shards: shards, "--until", "2026-06-01T00:00:00Z")
            #expect(shared.differences(from: alone) == [], "\(shards) shards")
        }
    }

    @Test func `timers of one shard fire before the signal of another, but not before one that is refused`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: "memory:"
            regions: [ { id: store, kind: geofence, latitude: 52, longitude: 5, radius: 100 } ]
            campaigns: [ { id: stay, triggers: [ { on: dwell, regions: all, dwell: 10m } ] } ]
            """
        ])
        var lines: [String] = []
        for round in 0..<40 {
            let hour = String(format: "%02d", round % 20)
            let day = round / 20 + 2
            for subject in ["ana", "ben", "cem", "dora", "eli"] {
                lines.append(
                    #"{"type":"region.entered","subject":"\#(subject)\#(round)","time":"2026-03-0\#(day)T\#(hour):00:00Z","data":{"region":"store"}}"#
                )
            }
            // Refused: it moves no time, whosever timers are due by then.
            lines.append(
                #"{"type":"region.entered","subject":"x\#(round)","time":"2026-03-0\#(day)T\#(hour):30:00Z","data":{"region":"nowhere"}}"#
            )
            lines.append(
                #"{"type":"app.backgrounded","subject":"y\#(round)","time":"2026-03-0\#(day)T\#(hour):09:59Z"}"#)
            lines.append(
                #"{"type":"app.backgrounded","subject":"z\#(round)","time":"2026-03-0\#(day)T\#(hour):10:00Z"}"#)
        }
        try place.write(lines.joined(separator: "\n") + "\n", to: "signals.jsonl")
        let alone = try run(place, shards: 1)
        #expect(alone.decisions.split(separator: "\n").count == 200)
        #expect(try run(place, shards: 2).differences(from: alone) == [])
        #expect(try run(place, shards: 4).differences(from: alone) == [])
    }

    @Test func `a flood of timers comes in batches and in the order of their times`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: "memory:"
            regions: [ { id: store, kind: geofence, latitude: 52, longitude: 5, radius: 100 } ]
            campaigns: [ { id: stay, triggers: [ { on: dwell, regions: all, dwell: 10m } ] } ]
            """
        ])
        var lines = (0..<21_000).map {
            #"{"type":"region.entered","subject":"s\#($0 * 7919 % 21_000)","time":"2026-03-02T09:00:00Z","data":{"region":"store"}}"#
        }
        lines.append(#"{"type":"clock.advanced","time":"2026-03-03T00:00:00Z"}"#)
        try place.write(lines.joined(separator: "\n") + "\n", to: "signals.jsonl")
        let alone = try run(place, shards: 1)
        #expect(alone.decisions.split(separator: "\n").count == 21_000)
        #expect(try run(place, shards: 2).differences(from: alone) == [])
    }

    @Test(arguments: ["0", "65"]) func `a number of shards that makes no sense is refused`(shards: String) throws {
        let result = try Workplace(["belfry.yaml": "app: shop\n"]).belfry("run", "--shards", shards)
        #expect(result.status == 2)
        #expect(result.errors.contains("--shards is \(shards); expected 1 to 64"))
    }
}
