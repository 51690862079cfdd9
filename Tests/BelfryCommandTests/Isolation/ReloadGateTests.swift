import Foundation
import Testing

/// A new plugin is taken when it has passed 'plugins check', and has loaded what is stored; else the former one stays.
@Suite struct ReloadGateTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            plugins: { directories: [plugins, bundled] }
            store: sqlite:belfry.db
            chain: [ { strategy: keeper } ]
            campaigns: [ { id: sale, message: Half price, triggers: [ { on: request } ] } ]

            """
        ])
        try install("1.0.0")
    }

    private func install(_ version: String, spoiled: Int = 0) throws {
        let (new, plugins) = (place.file("new-\(version)-\(spoiled)"), place.file("plugins"))
        try PluginFiles.compile(
            [PluginFiles.own("keeper")], into: new, defining: "KEEPER_VERSION=\"\(version)\"", "SPOILED=\(spoiled)")
        try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
        try #require(rename(new.appending(path: "keeper.so").path, plugins.appending(path: "keeper.so").path) == 0)
    }

    @Test(arguments: ["thread", "process"], ["memory:", "sqlite:belfry.db"])
    func `who cannot load what is stored is not taken`(isolation: String, store: String) throws {
        let run = try LiveRun(in: place, "--watch", "--isolation", isolation, "--store", store)
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
        try run.hear("watching")
        try install("2.0.0", spoiled: 1)
        #expect(
            try run.hear("the former configuration stays in force") == """
                cannot take plugin 'test.keeper' 2.0.0
                  why: entry 'keeper': it cannot load its stored state (what is stored for subject 'ana')
                  fix: have it load what its former version has saved, and put it there again
                the former configuration stays in force
                """)
        try install("2.0.1", spoiled: 2)
        #expect(
            try run.hear("the former configuration stays in force") == """
                cannot take plugin 'test.keeper' 2.0.1
                  why: entry 'keeper': its process crashed with signal SIGSEGV when it loaded what is stored for subject 'ana'
                  fix: have it load what its former version has saved, and put it there again
                the former configuration stays in force
                """)
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 created sale/2"])
        try install("2.0.2")
        #expect(try run.hear("reloaded") == "reloaded: plugins: 'test.keeper' 1.0.0 → 2.0.2")
        #expect(try run.tell("09:02:00", "request sale") == ["09:02:00 created sale/3"])
        #expect(try run.end() == 0)
    }

    @Test func `who does not pass the checks is not taken`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        try PluginFiles.compile([PluginFiles.own("faulty")], into: place.file("plugins"), defining: "RATE=1", "KIND=0")
        let configuration = try place.text(of: "belfry.yaml")
        try place.write(configuration.replacing("strategy: keeper", with: "strategy: faulty"), to: "belfry.yaml")
        let report = try run.hear("the former configuration stays in force")
        #expect(report.contains("cannot take plugin 'test.faulty' 1.0.0\n  why: 'belfry plugins check' found: "))
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 created sale/1"])
    }

    @Test func `a service refuses it with the same words`() async throws {
        let service = try LiveService(in: place)
        let signal = Story.signal("09:00:00", "request sale")
        _ = try await service.post(signal, as: "application/x-ndjson")
        try install("2.0.0", spoiled: 2)
        let refusal = try await service.manage("POST", "/-/reload")
        #expect(refusal.status == 422)
        #expect(refusal.text.contains("entry 'keeper': its process crashed with signal SIGSEGV"))
        try install("2.0.1")
        #expect(try await service.manage("POST", "/-/reload").status == 200)
    }
}
