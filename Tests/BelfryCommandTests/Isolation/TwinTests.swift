import Foundation
import Testing

/// A plugin that forks, and both processes go on: only the one that belfry has made is heard.
@Suite struct TwinTests {
    private func workplace(_ sin: Int) throws -> Workplace {
        let place = try Workplace(
            chain: "{ strategy: twins }",
            signals: ["09:00:00", "09:01:00", "09:02:00"].map { Story.signal($0, "request sale") })
        try PluginFiles.compile([PluginFiles.own("twins")], into: place.file("plugins"), defining: "SIN=\(sin)")
        return place
    }

    @Test(arguments: [0, 1])
    func `a run decides once`(sin: Int) throws {
        let result = try workplace(sin).belfry("run", "--signals", "signals.jsonl")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try result.lines.map { Story.brief(try JSON($0)) } == [
                "09:00:00 created sale/1", "09:01:00 created sale/2", "09:02:00 created sale/3",
            ])
    }

    @Test(arguments: [0, 1])
    func `a simulation is told once`(sin: Int) throws {
        // The last one does nothing of that.
        let reports = try [sin, 3].map { sin in
            let result = try workplace(sin).belfry(
                "simulate", "--signals", "signals.jsonl", "--against", "belfry.yaml", "--json")
            #expect(result.status == 0, "\(result.errors)")
            return result.lines.map { $0.replacing(/"fingerprint":"[^"]*"/, with: "") }
        }
        #expect(reports[0].count == 1)
        #expect(reports[0] == reports[1])
    }

    @Test func `what makes no sense is told with the plugins that may be to blame`() throws {
        let result = try workplace(2).belfry("run", "--signals", "signals.jsonl")
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(
            result.errors.contains(
                """
                cannot load the plugins
                  why: the process that loads them said what makes no sense: most likely a plugin writes where it may not; those from elsewhere are 'test.twins'
                  fix:
                """), "\(result.errors)")
    }
}
