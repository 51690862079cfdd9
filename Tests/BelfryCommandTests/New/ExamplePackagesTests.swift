import Foundation
import Testing

/// The packages in `Examples`, as they are in a copy of their folder.
@Suite struct ExamplePackagesTests {
    /// Copies a package, builds it, runs its tests, and then its signals.
    ///
    /// - Returns: the decisions.
    private static func decisions(of example: String, _ variables: String) throws -> [JSON] {
        let place = try Workplace()
        let (status, output) = try place.shell(
            """
            set -e
            cp -rL \(PluginFiles.repository.path)/Examples/\(example) .
            cd \(example)
            make -s clean
            make -s test BELFRY=\(PluginFiles.repository.path) \(variables) 2>&1
            belfry run --signals signals.jsonl --output ../decisions.jsonl 2>&1
            belfry plugins check plugins/*.so 2>&1
            """)
        try #require(status == 0, "\(output)")
        #expect(!output.contains("warning:"), "\(output)")
        let decisions = try place.text(of: "decisions.jsonl").split(separator: "\n").map { try JSON(String($0)) }
        return decisions
    }

    /// What the README of a package shows of one decision.
    private static func shown(in example: String) throws -> JSON {
        let readme = try String(
            contentsOf: PluginFiles.repository.appending(path: "Examples/\(example)/README.md"), encoding: .utf8)
        return try JSON(String(try #require(readme.firstMatch(of: /```json\n(.*?)```/.dotMatchesNewlines())?.1)))
    }

    @Test(.enabled(if: PluginFiles.hasRust, "there is no rustc on this machine"))
    func `back-off, in Rust, doubles the pause until one is opened`() throws {
        let decisions = try Self.decisions(of: "back-off", "")
        #expect(
            decisions.map { $0["type"]?.text?.split(separator: ".").last } == [
                "created", "created", "suppressed", "opened", "created", "created",
            ], "what was given up two seconds later does not count")
        let shown = try Self.shown(in: "back-off")
        let reasons = shown["data"]?.map?["reasons"]
        #expect(reasons != nil && decisions[2]["data"]?.map?["reasons"] == reasons)
        #expect(decisions[2]["time"] == shown["time"])
    }

    @Test func `shorten, in C, cuts what was personalized before`() throws {
        let decisions = try Self.decisions(of: "shorten", "CFLAGS='-O2 -Wall -Wextra -Wpedantic -Werror'")
        #expect(decisions.count == 1)
        #expect(decisions.first?["data"] == (try Self.shown(in: "shorten"))["data"])
    }
}
