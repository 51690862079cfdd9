import BelfryModel
import Testing

@testable import BelfryConfiguration

/// JSON is YAML, also as programs write it that escape all but ASCII.
@Suite struct JSONConfigurationTests: ConfigurationReading {
    @Test(arguments: [
        (#"Sale \ud83d\ude00!"#, "Sale 😀!"), (#"\uD834\uDD1E \u00e9 \u20AC"#, "𝄞 é €"),
        (#"\\ud83d\\ude00 \\\ud83d\ude00"#, #"\ud83d\ude00 \😀"#),
    ])
    func `a pair of surrogates is a character`(_ written: String, _ text: String) throws {
        let json = #"{"app": "a", "campaigns": [{"id": "c", "title": "\#(written)"}]}"#
        #expect(try read(json).configuration.campaigns[0].title == text)
    }

    @Test func `a backslash of YAML stays one`() throws {
        let yaml = #"{"app": 'a', "campaigns": [{"id": "c", "title": '\ud83d\ude00'}]}"#
        #expect(try read(yaml).configuration.campaigns[0].title == #"\ud83d\ude00"#)
    }

    @Test func `a chain beside a pair of surrogates can be edited`() throws {
        let json = #"{"app": "\ud83d\ude00", "chain": [{"strategy": "once"}, {"strategy": "cooldown"}]}"#
        let text = try ChainText(json).moving(1, to: 0)
        #expect(text == #"{"app": "😀", "chain": [{"strategy": "cooldown"}, {"strategy": "once"}]}"#)
    }
}
