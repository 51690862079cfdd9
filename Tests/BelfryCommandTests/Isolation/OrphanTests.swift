import Foundation
import Testing

/// What a plugin has forked ends with the command, also where it has made a session of its own.
@Suite struct OrphanTests {
    private func workplace(_ sin: Int) throws -> Workplace {
        let place = try Workplace(chain: "{ strategy: leaver }", signals: [Story.signal("09:00:00", "request sale")])
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

    /// It waits for the command's end, and says then that it is there.
    @Test func `a child that the command was given lives on`() throws {
        let place = try workplace(0)
        let (status, output) = try place.shell(
            """
            sh -c '(until [ -e over ]; do sleep 0.1; done; touch alive) >/dev/null 2>&1 & exec belfry run --signals signals.jsonl'
            touch over
            for i in $(seq 300); do [ -e alive ] && break; sleep 0.1; done
            [ -e alive ]
            """)
        #expect(status == 0, "\(output)")
    }
}
