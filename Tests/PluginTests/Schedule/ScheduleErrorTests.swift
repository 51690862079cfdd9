import BelfryPlugin
import BelfryTesting
import Testing

@Suite struct ScheduleErrorTests {
    @Test(
        arguments: [
            (
                ["hours": ["9:00-17:00"]],
                "periods[0].hours: '9:00-17:00' should be two different times such as 09:00-17:30"
            ),
            (
                ["hours": ["09:00-17:00", "17:31-17:31"]],
                "periods[0].hours: '17:31-17:31' should be two different times"
            ),
            (["hours": ["12:30-24:01"]], "'12:30-24:01'"), (["hours": ["24:00-08:00"]], "24:00 can be the end only"),
            (["hours": ["01:99-23:59"]], "'01:99-23:59'"), (["hours": ["14:03"]], "'14:03'"),
            (["hours": ["00:00-99:99"]], "'00:00-99:99'"),
            (["hours": []], "periods[0].hours is empty; list at least one"),
            (
                ["daysOfMonth": [0]],
                "periods[0].daysOfMonth: 0 should be a day of the month: 1 to 31, or -1 (the last) to -31"
            ),
            (["daysOfMonth": [1, -50]], "periods[0].daysOfMonth: -50 should be"),
            (["daysOfMonth": [.integer(.min)]], "should be a day of the month"),
            (["months": [13]], "periods[0].months: 13 should be a month: 1 (January) to 12"),
            (["months": [0]], "periods[0].months: 0 should be"),
            (["years": [26]], "periods[0].years: 26 should be a year"),
            (["years": []], "periods[0].years is empty"), (["weekdays": []], "periods[0].weekdays is empty"),
            (["weekdays": ["blurgsday"]], "weekdays"), (["weekdays": ["1"]], "weekdays"),
            (["weekdays": "mon"], "a list"),
            (["timeZone": "Europe/Amsterdm"], "periods[0].timeZone: 'Europe/Amsterdm' should be a known time zone"),
            (
                ["from": "2026-02-30"],
                "periods[0].from: '2026-02-30' should be a date such as 2026-03-02, or a time such as"
            ),
            (["until": "tomorrow"], "periods[0].until: 'tomorrow' should be a date"),
            (
                ["from": "2026-03-02", "until": "2026-03-01"],
                "periods[0]: it ends ('2026-03-01') before it begins ('2026-03-02'); 'until' should be later"
            ),
            (["from": "2026-03-02T09:00:00Z", "until": "2026-03-02T10:00:00+01:00"], "before it begins"),
            (["from": "2026-03-02T09:00", "until": "2026-03-02T08:00"], "before it begins"),
            (["from": "2026-03-02", "until": "2026-03-02T00:00"], "before it begins"),
            (["from": "2026-03-03T00:00", "until": "2026-03-02"], "before it begins"),
            (["day": "mon"], "day"),
        ] as [(Value, String)])
    func `a wrong period is refused with a sentence`(period: Value, sentence: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try schedule(["periods": [period]]) }
        #expect(failure?.code == .configuration)
        #expect(failure?.description.contains(sentence) == true, "\(failure?.description ?? "")")
    }

    @Test(
        arguments: [
            (["exceptions": [["disable": ["months": [1]]], [:]]], "exceptions[1] has neither 'enable' nor 'disable'"),
            (["exceptions": [["disable": ["months": [13]]]]], "exceptions[0].disable.months: 13 should be a month"),
            (["exceptions": [["enable": [:], "disable": [:]]]], "one of the two"),
            (["outside": "delay"], "drop, defer"), (["judges": "all"], "creation, deletion, both"),
        ] as [(Value, String)])
    func `wrong parameters are refused with a sentence`(parameters: Value, sentence: String) {
        let failure = #expect(throws: StrategyTest.Failure.self) { try schedule(parameters) }
        #expect(failure?.description.contains(sentence) == true, "\(failure?.description ?? "")")
    }

    @Test func `all that is wrong with a schedule is told at once`() throws {
        let failure = #expect(throws: StrategyTest.Failure.self) {
            try schedule([
                "periods": [
                    [
                        "hours": ["9:00-17:00", "24:00-08:00"], "months": [0, 13], "timeZone": "Mars", "from": "soon",
                        "until": "late",
                    ],
                    ["from": "2026-03-02", "until": "2026-03-01"],
                ],
                "exceptions": [["disable": ["years": []]], [:]],
            ])
        }
        let told = try #require(failure?.description)
        for sentence in [
            "periods[0].hours: '9:00-17:00' should be", "periods[0].hours: '24:00-08:00' should be",
            "periods[0].months: 0 should be", "periods[0].months: 13 should be",
            "periods[0].timeZone: 'Mars' should be",
            "periods[0].from: 'soon' should be", "periods[0].until: 'late' should be", "periods[1]: it ends",
            "exceptions[0].disable.years is empty", "exceptions[1] has neither",
        ] { #expect(told.contains(sentence), "\(told)") }
    }

    @Test func `many mistakes are told as far as there is room`() {
        let failure = #expect(throws: StrategyTest.Failure.self) {
            try schedule(["periods": .list((0..<5_000).map { _ in ["months": [13]] })])
        }
        #expect(failure?.description.contains("periods[99].months: 13 should be a month") == true)
    }
}
