import Foundation
import Testing

/// What a plugin has forked ends with the command, also where it has made a session of its own.
@Suite struct OrphanTests {
    private func workplace(_ sin: Int) throws -> Workplace {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            isolation: process
            sandbox: off
            limits: { call: 10s }
            plugins: { directories: [plugins, bundled] }
            chain: [ { strategy: leaver } ]
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """,
            "signals.jsonl": Story.signal("09:00:00", "request sale") + "\n",
        ])
        try PluginFiles.compile([PluginFiles.own("leaver")], into: place.file("plugins"), defining: "SIN=\(sin)")
        return place
    }

    @Test(
        arguments: [0, 1], [["run"], ["simulate", "--against", "belfry.yaml"]])
    func `nothing of a plugin outlives the command`(sin: Int, command: [String]) throws {
        let place = try workplace(sin)
        let result = try place.belfry(command + ["--signals", "signals.jsonl"], input: Data())
        #expect(result.status == 0, "\(result.errors)")
        let left = result.errors.split(separator: "\n").filter { $0.hasPrefix("left ") }
            .compactMap { pid_t($0.dropFirst(5)) }
        #expect(!left.isEmpty)
        #expect(left.allSatisfy { kill($0, 0) != 0 }, "\(left)")
    }

    @Test func `a child that the command was given lives on`() throws {
        let place = try workplace(0)
        let (status, output) = try place.shell(
            "sh -c 'sleep 300 & echo child $! >&2; exec belfry run --signals signals.jsonl'")
        #expect(status == 0, "\(output)")
        let child = try #require(output.firstMatch(of: /child (\d+)/).flatMap { pid_t($0.1) })
        #expect(kill(child, SIGKILL) == 0)
    }
}
