import Foundation
import Testing

/// The configurations in `Examples`, each with its signals and the decisions that must come of them.
///
/// With BELFRY_RECORD set, the decisions are written anew and the test fails: nothing is recorded by accident.
@Suite struct ExamplesTests {
    private static let examples = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples")

    struct Example: CustomTestStringConvertible {
        var configuration: String
        /// In turn, each by a process of its own over one store.
        var signals: [String]
        var decisions: String

        var testDescription: String { configuration }
    }

    static let all = [
        Example(
            configuration: "demo/belfry.yaml", signals: ["demo/morning.jsonl", "demo/afternoon.jsonl"],
            decisions: "demo/decisions.jsonl"),
        Example(configuration: "adtag.yaml", signals: ["adtag.signals.jsonl"], decisions: "adtag.decisions.jsonl"),
        Example(
            configuration: "insiteo.yaml", signals: ["insiteo.signals.jsonl"], decisions: "insiteo.decisions.jsonl"),
        Example(configuration: "plot.yaml", signals: ["plot.signals.jsonl"], decisions: "plot.decisions.jsonl"),
        Example(configuration: "mce.yaml", signals: ["mce.signals.jsonl"], decisions: "mce.decisions.jsonl"),
        Example(
            configuration: "product-team.yaml", signals: ["product-team.signals.jsonl"],
            decisions: "product-team.decisions.jsonl"),
    ]

    @Test(arguments: all) func `an example decides what its file says`(_ example: Example) throws {
        let place = try Workplace()
        var decisions = ""
        for signals in example.signals {
            let result = try place.belfry(
                "run", "--config", Self.path(example.configuration), "--signals", Self.path(signals),
                "--store", "sqlite:example.db")
            #expect(result.status == 0, "\(result.errors)")
            decisions += result.output
        }
        let file = Self.examples.appending(path: example.decisions)
        if ProcessInfo.processInfo.environment["BELFRY_RECORD"] != nil {
            try Data(decisions.utf8).write(to: file)
            Issue.record("recorded \(example.decisions)")
        }
        #expect(decisions == (try String(contentsOf: file, encoding: .utf8)))
    }

    @Test func `the line that the README shows is one of the demo's, folded`() throws {
        let readme = try String(contentsOf: Self.examples.appending(path: "../README.md"), encoding: .utf8)
        let block = try #require(readme.firstMatch(of: /```json\n(.*?)\n```/.dotMatchesNewlines())?.1)
        let line = block.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined()
        let decisions = try String(contentsOf: Self.examples.appending(path: "demo/decisions.jsonl"), encoding: .utf8)
        #expect(decisions.split(separator: "\n").contains { $0 == line })
    }

    private static func path(_ name: String) -> String { examples.appending(path: name).path }
}
