import BelfryModel
import Testing

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            ("300ms", 300), ("90s", 90_000), ("5m", 300_000), ("1h30m", 5_400_000), ("7d", 604_800_000), ("0s", 0),
            ("1d2h3m4s5ms", 93_784_005), ("1m500ms", 60_500), ("1h90m", 9_000_000), ("05m", 300_000),
        ] as [(String, Int64)])
    func `units go from large to small`(text: String, milliseconds: Int64) {
        #expect(Duration(text: text) == Duration(milliseconds: milliseconds))
    }

    @Test(
        arguments: [
            ("PT5M", 300_000), ("P1DT2H", 93_600_000), ("P7D", 604_800_000), ("P1W", 604_800_000), ("PT0.5S", 500),
            ("PT1H30M", 5_400_000), ("PT36H", 129_600_000), ("PT1M0,25S", 60_250), ("PT1.5000S", 1_500), ("PT0S", 0),
            ("P1DT1H1M1.001S", 90_061_001),
        ] as [(String, Int64)])
    func `ISO 8601 durations of fixed length are read too`(text: String, milliseconds: Int64) {
        #expect(Duration(text: text) == Duration(milliseconds: milliseconds))
    }

    @Test(arguments: ["30", "0", "1h30", "3600000"])
    func `a number without a unit is refused`(text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test(arguments: [
        "", "m", "-5m", "+5m", " 5m", "5m ", "5 m", "1.5h", "5M", "5min", "1w", "30m1h", "5m5m", "5ms5m", "5m5x", "५m",
        "P", "PT", "P1DT", "PT5", "P5", "P1Y", "P1M", "P1H", "PT1D", "PT5M1H", "PT1M1M", "P1W1D", "P1DT1W", "PT.5S",
        "PT5.S", "PT0.5M", "P0.5D", "PT0.0005S", "pt5m", "-PT5M", "P-1D", "PT5M ", "P1D2H", "P5m",
    ])
    func `what is no duration is refused`(text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test(arguments: [
        "106751991168d", "106751991167d7h12m55s808ms", "9223372036854775808ms", "P99999999999999999999W",
        "PT9223372036854775.808S",
    ])
    func `what is longer than can be counted is refused`(text: String) {
        #expect(Duration(text: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0s"), (1, "1ms"), (1_500, "1s500ms"), (90_000, "1m30s"), (1_800_000, "30m"), (3_600_000, "1h"),
            (5_400_000, "1h30m"), (129_600_000, "1d12h"), (604_800_000, "7d"),
            (Int64.max, "106751991167d7h12m55s807ms"),
        ] as [(Int64, String)])
    func `the canonical text reads back`(milliseconds: Int64, text: String) {
        #expect(Duration(milliseconds: milliseconds).description == text)
        #expect(Duration(text: text)?.milliseconds == milliseconds)
    }

    @Test func `a negative duration shows its sign`() {
        #expect(Duration(milliseconds: -5_400_000).description == "-1h30m")
        #expect(Duration(milliseconds: .min).description == "-106751991167d7h12m55s808ms")
    }
}
