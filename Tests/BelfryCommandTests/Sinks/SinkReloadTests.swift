import BelfryCore
import Foundation
import Testing

@testable import BelfryDelivery

/// Sinks that get another configuration.
@Suite struct SinkReloadTests {
    private static func settings(_ sinks: String, in place: Workplace) throws -> SinkSettings {
        try place.write("app: shop\nsinks: [\(sinks)]\n", to: "belfry.yaml")
        let workspace = try Workspace(
            path: place.file("belfry.yaml").path, executable: Command.folder.appending(path: "belfry").path,
            environment: ["XDG_CACHE_HOME": place.file("cache").path], log: { _ in })
        return try SinkSettings(of: workspace, environment: [:])
    }

    @Test func `a reload that is refused takes no sink away`() throws {
        let place = try Workplace([:])
        let folder = place.file("journal")
        let bench = try SinkBench(.folder(folder.path), segmentSize: 1)
        let before = try Self.settings("{ id: copy, type: file, path: a.jsonl }", in: place)
        let sinks = try Sinks(before, journal: bench.journal) { _ in }
        // The place of a new sink is noted before it begins, and the journal refuses.
        let after = "{ id: new, type: file, path: b.jsonl }, { id: copy, type: file, path: c.jsonl }"
        let settings = try Self.settings(after, in: place)
        try bench.whileRefused(at: bench.journal.last + 1, in: folder) {
            #expect(throws: (any Error).self) { try sinks.take(settings) }
        }
        #expect(sinks.statuses.map(\.id) == ["copy"])
        try bench.decide("ana:1")
        sinks.ring()
        #expect(sinks.finish().sinks.map(\.delivered) == [1])
        #expect(try place.text(of: "a.jsonl").contains(#""id":"ana:1""#))
        #expect(try place.text(of: "c.jsonl") == "")
    }

    @Test func `a reload begins what is new, ends what is gone, and goes on elsewhere with what has changed`() throws {
        let place = try Workplace([:])
        let bench = try SinkBench()
        let before = "{ id: gone, type: file, path: a.jsonl }, { id: copy, type: file, path: b.jsonl }"
        let sinks = try Sinks(Self.settings(before, in: place), journal: bench.journal) { _ in }
        let after = "{ id: copy, type: file, path: c.jsonl }, { id: new, type: file, path: d.jsonl }"
        try sinks.take(Self.settings(after, in: place))
        #expect(sinks.statuses.map(\.id) == ["copy", "new"])
        try bench.decide("ana:1")
        sinks.ring()
        #expect(sinks.finish().sinks.map(\.delivered) == [1, 1])
        #expect(try ["a", "b", "c", "d"].filter { try !place.text(of: "\($0).jsonl").isEmpty } == ["c", "d"])
    }
}
