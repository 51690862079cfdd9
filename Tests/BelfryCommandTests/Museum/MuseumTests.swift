import BelfryModel
import Foundation
import Testing

/// Plugins that were compiled against a released contract work in today's host, whatever has become of it since (`Tests/Museum`).
///
/// `BELFRY_RECORD=1 swift test --filter MuseumTests` writes down again what they do. That run fails, so it is never an accident.
@Suite struct MuseumTests {
    private static let hall = PluginFiles.repository.appending(path: "Tests/Museum/r1")
    private static let plugins = ["ledger", "postcard", "siesta", "signature"]

    /// A folder with the plugins, compiled against their own headers, and their configuration.
    private func exhibition() throws -> Workplace {
        let place = try Workplace()
        try PluginFiles.compile(
            Self.plugins.map { Self.hall.appending(path: "\($0).c") }, into: place.file("plugins"),
            headers: Self.hall.appending(path: "include"))
        for file in ["belfry.yaml", "morning.jsonl", "afternoon.jsonl"] {
            try FileManager.default.copyItem(at: Self.hall.appending(path: file), to: place.file(file))
        }
        return place
    }

    @Test func `they decide as they did, with their state stored in between`() throws {
        let place = try exhibition()
        var decided = ""
        for part in ["morning", "afternoon"] {
            let result = try place.belfry("run", "--signals", "\(part).jsonl")
            #expect(result.status == 0, "\(result.errors)")
            decided += result.output
        }
        try compare(decided, with: "decisions.jsonl")
        try compare(place.belfry("state", "show", "ana").output, with: "state.txt")
    }

    @Test func `state of an earlier version is migrated`() throws {
        let place = try exhibition()
        let result = try place.belfry("plugins", "check", "plugins/siesta.so", "--only", "migration", "--only", "state")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.lines.count { $0.hasPrefix("  ✓") } == 2)
    }

    @Test func `they describe themselves as they did`() throws {
        let place = try exhibition()
        let list = try JSON(place.belfry("plugins", "list", "--json").output)
        let manifests = list["plugins"]?.list?.compactMap { $0.map?["manifest"] }.filter {
            $0.map?["id"]?.text?.hasPrefix("museum.") == true
        }
        try compare((manifests ?? []).map(\.json).asFile, with: "plugins.jsonl")
        #expect(list["refused"] == [])
    }

    @Test(arguments: plugins) func `they pass every check`(plugin: String) throws {
        let result = try exhibition().belfry("plugins", "check", "plugins/\(plugin).so", "--seed", "1", "--fuzz", "150")
        #expect(result.status == 0, "\(result.output)")
    }

    /// The structs of then are among those of now, word by word.
    @Test func `no released struct has changed`() throws {
        let now = Set(try structs(in: PluginFiles.repository.appending(path: "Sources/CBelfry/include/belfry")))
        let then = try structs(in: Self.hall.appending(path: "include/belfry"))
        #expect(then.count == 27)
        #expect(then.filter { !now.contains($0) } == [], "these were released, and are not what they were")
    }

    private func structs(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).flatMap { header in
            let text = try String(contentsOf: header, encoding: .utf8).replacing(/\/\/[^\n]*/, with: "")
            return text.matches(of: /struct\s+belfry_\w+\s*\{[^}]*\}/).map {
                $0.0.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            }
        }.sorted()
    }

    private func compare(_ found: String, with name: String) throws {
        let file = Self.hall.appending(path: name)
        if ProcessInfo.processInfo.environment["BELFRY_RECORD"] != nil {
            try Data(found.utf8).write(to: file)
            Issue.record("'\(name)' was written again; look at the difference, then run without BELFRY_RECORD")
            return
        }
        let recorded = try String(contentsOf: file, encoding: .utf8)
        #expect(found.split(separator: "\n") == recorded.split(separator: "\n"), "\(name)")
    }
}
