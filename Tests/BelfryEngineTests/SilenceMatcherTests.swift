import Testing

@testable import BelfryEngine

@Suite struct SilenceMatcherTests {
    @Test(arguments: [
        ("a=b", nil), ("campaign=b", "campaign=\"b\""), (" tag != b c ", "tag!=\"b c\""),
        (#"data.a.b=~"x|\"y\"""#, #"data.a.b=~"x|\"y\"""#), (#"campaign=~"\d+""#, #"campaign=~"\\d+""#),
        ("campaign=", "campaign=\"\""), ("campaign", nil), (#"campaign="a"b""#, nil), (#"campaign=a""#, nil),
        ("data.=a", nil), ("data_x!~a", "data.x!~\"a\""), ("=a", nil), ("campaign=~(", nil), ("campaign=~a)|(b", nil),
    ])
    func `a text is read as Alertmanager reads it`(text: String, canonical: String?) {
        #expect((try? SilenceMatcher(parsing: text))?.description == canonical)
        if let canonical { #expect((try? SilenceMatcher(parsing: canonical))?.description == canonical) }
    }

    @Test func `a pattern is anchored, line by line too`() throws {
        let matcher = try SilenceMatcher(parsing: "campaign=~a|b")
        #expect(matcher.holds(for: ["a"]) && matcher.holds(for: ["b"]))
        #expect(!matcher.holds(for: ["ab"]) && !matcher.holds(for: ["a\n"]) && !matcher.holds(for: ["\na"]))
    }

    @Test func `texts are told apart by their bytes, as subjects are`() throws {
        let matcher = try SilenceMatcher(parsing: "subject=zo\u{EB}")
        #expect(matcher.holds(for: ["zo\u{EB}"]) && !matcher.holds(for: ["zoe\u{308}"]))
        #expect(try SilenceMatcher(parsing: "subject!=zo\u{EB}").holds(for: ["zoe\u{308}"]))
    }

    @Test func `what is missing is the empty text`() throws {
        #expect(try SilenceMatcher(parsing: "tag=").holdsForNothing)
        #expect(try SilenceMatcher(parsing: "tag!=a").holdsForNothing)
        #expect(try SilenceMatcher(parsing: "tag=~.*").holdsForNothing)
        #expect(try !SilenceMatcher(parsing: "tag=a").holdsForNothing)
        #expect(try !SilenceMatcher(parsing: "tag!~.*").holdsForNothing)
    }
}
