import Foundation
import Testing

/// What plugins write to the host's log.
@Suite struct PluginLogTests {
    private static let configuration = """
        app: shop
        plugins: { directories: [chatty, terse, bundled] }
        chain: [ { strategy: chatty }, { strategy: terse } ]
        campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

        """

    /// 'chatty' writes so many different warnings; then 'terse' writes one.
    private func warnings(
        _ lines: Int, _ isolation: String, shards: Int = 1, subjects: [String] = ["ana"]
    ) throws -> [Substring] {
        let place = try Workplace(["belfry.yaml": Self.configuration])
        for (name, lines) in [("chatty", lines), ("terse", 1)] {
            try PluginFiles.compile(
                [PluginFiles.own("gossip")], into: place.file(name), defining: "WHO=\"\(name)\"", "LINES=\(lines)")
        }
        // What was said once is not said again.
        let signals = ["09:00:00", "10:00:00"].map { Story.signal($0, "request sale") + "\n" }
        let input = signals.flatMap { signal in subjects.map { signal.replacing("\"ana\"", with: "\"\($0)\"") } }
        let result = try place.belfry(
            "run", "--shards", "\(shards)", "--isolation", isolation, input: input.joined())
        #expect(result.status == 0, "\(result.errors)")
        return result.errors.split(separator: "\n")
    }

    private static let muted: [Substring] = [
        "warning: plugin 'test.chatty' has written 1000 different warnings; further ones of it are not printed",
        "  why: each different line is printed once, and 1000 of one plugin at most",
        "  fix: have its author leave out of the text what differs each time, such as names and times",
    ]

    @Test(arguments: ["thread", "process"])
    func `a plugin that writes too many warnings is muted by name, and no other plugin is`(isolation: String) throws {
        let lines = try warnings(1001, isolation)
        #expect(lines.filter { $0.contains("chatty says") }.count == 1000)
        #expect(lines.contains("warning: chatty says line 1000") && !lines.contains("warning: chatty says line 1001"))
        #expect(lines.filter { $0.contains("terse says") } == ["warning: terse says line 1"])
        let start = lines.firstIndex { $0.contains("has written") }
        #expect(start.map { Array(lines[$0...].prefix(3)) } == Self.muted)
        #expect(lines.filter { $0.contains("has written") }.count == 1)
    }

    /// Each process of a shard told it.
    @Test(arguments: ["thread", "process"])
    func `what plugins say in several shards is told once`(isolation: String) throws {
        let lines = try warnings(2, isolation, shards: 4, subjects: (1...40).map { "s\($0)" })
        #expect(
            lines.filter { $0.contains(" says ") }.sorted() == [
                "warning: chatty says line 1", "warning: chatty says line 2", "warning: terse says line 1",
            ])
    }

    @Test func `one that writes as many as are printed is not muted`() throws {
        let lines = try warnings(1000, "thread")
        #expect(lines.filter { $0.contains("chatty says") }.count == 1000)
        #expect(!lines.contains { $0.contains("has written") })
    }
}
