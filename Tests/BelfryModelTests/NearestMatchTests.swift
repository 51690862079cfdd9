import BelfryModel
import Testing

@Suite struct NearestMatchTests {
    static let offered = ["cooldown", "digest", "immediate", "max-per-period", "on"]

    @Test(arguments: [
        ("diggest", "digest"), ("cooldwon", "cooldown"), ("Cooldown", "cooldown"),
        ("max-period", "max-per-period"),
        ("of", "on"), ("digest", "digest"), ("imediat", "immediate"),
    ])
    func `a slip of the fingers finds what was meant`(typed: String, meant: String) {
        #expect(nearestMatch(to: typed, among: Self.offered) == meant)
    }

    @Test(arguments: ["", "x", "escalation", "warm", "period"])
    func `what resembles nothing finds nothing`(typed: String) {
        #expect(nearestMatch(to: typed, among: Self.offered) == nil)
    }

    @Test func `of two equally near ones the first is taken`() {
        #expect(nearestMatch(to: "cat", among: ["bat", "car"]) == "bat")
    }
}
