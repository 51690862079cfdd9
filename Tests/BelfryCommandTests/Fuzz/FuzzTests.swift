import BelfryModel
import Foundation
import FuzzInput
import Testing

/// The three doors through which bytes of others come in: signals, configurations, stored records. Nearly right ones, in the
/// numbers that the environment names (`make fuzz`): no crash, no hang, and no growth.
@Suite(.serialized) struct FuzzTests {
    private static let seed = UInt64(Load.number("BELFRY_SEED") ?? 1)

    // MARK: Lines

    @Test func `lines of signals`() throws {
        let place = try Workplace(["belfry.yaml": FuzzCorpus.configuration])
        var fuzzer = LineFuzzer(seed: Self.seed, corpus: try FuzzCorpus.signals)
        let wanted = Load.number("BELFRY_FUZZ_LINES") ?? 20_000
        let run = try FedRun(place, "--output", "/dev/null", "--rejects", "/dev/null", "--summary", "json")
        let began = ContinuousClock.now
        var (sent, early) = (0, 0)
        while sent < wanted {
            try run.send(fuzzer.next(1000))
            sent += 1000
            // By then every cache, table and buffer is as full as it gets.
            if early == 0, sent * 3 >= wanted { early = run.memory }
        }
        let late = run.memory
        let summary = try run.finish()
        #expect(summary["lines"]?.integer == Int64(fuzzer.count))
        let rejected = summary["rejected"]?.map?.entries.compactMap(\.value.integer).reduce(0, +) ?? 0
        let (processed, repeated) = (summary["processed"]?.integer ?? 0, summary["duplicates"]?.integer ?? 0)
        #expect(processed + repeated + rejected == Int64(fuzzer.count))
        #expect(processed > wanted / 5 && rejected > wanted / 5, "the lines are too right or too wrong: \(summary)")
        #expect(late < early + early / 4 + 8 << 20, "memory grew from \(early) to \(late) bytes")
        print(
            "fuzz, seed \(Self.seed): \(fuzzer.count) lines, \(processed) processed, \(rejected) rejected; "
                + "\(early >> 20) MB after a third, \(late >> 20) MB at the end; \(began.duration(to: .now))")
    }

    // MARK: Records

    @Test func `stored records`() throws {
        let wanted = Load.number("BELFRY_FUZZ_RECORDS") ?? 300
        var victim = try Victim(FuzzCorpus.configuration, signals: [])
        var lines = LineFuzzer(seed: Self.seed, corpus: try FuzzCorpus.signals)
        try Data(lines.next(3000)).write(to: victim.place.file("signals.jsonl"))
        try victim.live()
        var fuzzer = RecordFuzzer(seed: Self.seed, records: try victim.remains().records)
        try #require(fuzzer.isFed)
        victim.arguments = []
        let count = try fuzzer.fill(victim.place.file("fuzzed.db").path, wanted)
        let began = ContinuousClock.now
        let verified = try victim.place.belfry("state", "verify", "--repair", "--store", "sqlite:fuzzed.db")
        #expect(verified.status == 0, "\(verified.errors)")
        #expect(try victim.place.belfry("state", "list", "--store", "sqlite:fuzzed.db").status == 0)
        let signals = (0..<wanted).flatMap(RecordFuzzer.signals) + [RecordFuzzer.end]
        let run = try FedRun(
            victim.place, "--store", "sqlite:fuzzed.db", "--output", "/dev/null", "--rejects", "/dev/null", "--summary",
            "json")
        for start in stride(from: 0, to: signals.count, by: 1000) {
            try run.send(Array(Array(signals[start..<min(start + 1000, signals.count)]).asFile.utf8))
        }
        #expect(try run.finish()["lines"]?.integer == Int64(signals.count))
        print(
            "fuzz, seed \(Self.seed): \(wanted) records, \(count) of them still read as records; run over all of them: "
                + "\(run.peak >> 20) MB at most, \(began.duration(to: .now))")
    }

    // MARK: Configurations

    @Test func configurations() throws {
        let wanted = Load.number("BELFRY_FUZZ_CONFIGURATIONS") ?? 200
        var fuzzer = try ConfigurationFuzzer(seed: Self.seed, corpus: FuzzCorpus.configuration)
        let began = ContinuousClock.now
        var early = 0
        for number in 1...wanted {
            try fuzzer.next()
            if number * 3 == wanted / 3 * 3 { early = Memory.resident(of: "self") }
        }
        let late = Memory.resident(of: "self")
        #expect(fuzzer.taken > 0 && fuzzer.refused > 0)
        print(
            "fuzz, seed \(Self.seed): \(wanted) configurations, \(fuzzer.taken) taken and run, \(fuzzer.refused) refused; "
                + "\(early >> 20) MB after a third, \(late >> 20) MB at the end; \(began.duration(to: .now))")
        if wanted >= 10_000 {
            #expect(late < early + early / 4 + 32 << 20, "memory grew from \(early) to \(late) bytes")
        }
    }
}
