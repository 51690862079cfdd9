import Foundation
import Testing

/// `belfry run --watch`: plugins are replaced, added and broken while a run goes on.
@Suite struct WatchPluginTests {
    private static let configuration = """
        app: shop
        plugins: { directories: [plugins, bundled] }
        chain: [ { strategy: gate } ]
        campaigns: [ { id: sale, message: Half price } ]

        """

    private let place: Workplace

    /// With the gate closed.
    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        try place.installGate("1.0.0")
    }

    /// How often that process set up each version.
    private func inits(_ run: LiveRun) throws -> [String] {
        try place.text(of: "inits").split(separator: "\n").filter { $0.hasSuffix(" \(run.identifier)") }.map {
            String($0.prefix { $0 != " " })
        }
    }

    @Test func `a new version of a plugin is taken, and the former one may come back`() throws {
        let run = try LiveRun(in: place, "--watch", "--isolation", "thread")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 suppressed sale by gate"])
        try run.hear("watching")
        try place.installGate("2.0.0")
        #expect(try run.hear("reloaded") == "reloaded: plugins: 'test.gate' 1.0.0 → 2.0.0")
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 created sale/1"])
        try place.installGate("1.0.0")
        #expect(try run.hear("reloaded") == "reloaded: plugins: 'test.gate' 2.0.0 → 1.0.0")
        #expect(try run.tell("09:02:00", "request sale") == ["09:02:00 suppressed sale by gate"])
        try place.write(Self.configuration + "timeZone: Asia/Tokyo\n", to: "belfry.yaml")
        try run.hear("reloaded: settings: 'timeZone' added")
        #expect(try inits(run) == ["1.0.0", "2.0.0"], "each version is set up once")
        #expect(try run.end() == 0)
    }

    @Test func `a broken plugin that the chain needs is refused, and the former one goes on`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        let whole = try Data(contentsOf: place.file("plugins/gate.so"))
        try whole.prefix(whole.count / 2).write(to: place.file("plugins/gate.so"))
        let report = try run.hear("the former")
        let brief = report.replacing(/end at byte .*|plugins in .*; '|\n *fix: put .*/, with: "…")
        #expect(
            brief == """
                cannot load plugin 'gate.so'
                  why: it is cut short: its section headers would …
                  fix: copy or build it again
                belfry.yaml:3: chain[0].strategy
                  found: the unknown strategy 'gate'
                  expected: one that a plugin has: the …gate.so' was refused and may have it; see 'belfry plugins'…
                the former configuration stays in force
                """)
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 suppressed sale by gate"])
        try whole.write(to: place.file("plugins/gate.so"))
        #expect(try run.hear("the configuration") == "the configuration is again the one in force")
    }

    @Test func `a broken plugin that nobody needs is told of and harms nobody`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        try PluginFiles.compile([PluginFiles.misbehaving("crash-during-scan")], into: place.file("plugins"))
        try run.hear("warning: cannot load plugin 'crash-during-scan.so'")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 suppressed sale by gate"])
    }

    @Test func `a lock that is gone is told as that, and not as a plugin that is not listed`() throws {
        let trusted = try TrustedPlace(trust: "{ mode: enforce }")
        try trusted.lock()
        let run = try LiveRun(in: trusted.place, "--watch")
        try run.hear("watching")
        try FileManager.default.removeItem(at: trusted.place.file("belfry.lock"))
        #expect(
            try run.hear("the former") == """
                belfry.yaml:5: trust.mode
                  found: 'mode', and no 'belfry.lock'
                  expected: the lock, which says what may be loaded
                  fix: write it: belfry plugins lock
                the former configuration stays in force
                """)
    }

    @Test func `a plugin that the chain needs, and the lock does not list, is told once`() throws {
        let trusted = try TrustedPlace()
        try trusted.lock()
        let run = try LiveRun(in: trusted.place, "--watch")
        try run.hear("watching")
        try trusted.modify()
        let report = try run.hear("the former")
        #expect(report.components(separatedBy: "cannot load plugin 'gate.so'").count == 2, "\(report)")
        #expect(report.contains("chain[0].strategy"), "\(report)")
    }

    @Test func `a plugin that is added can be used, and the configuration may come first`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        try place.write(Self.configuration.replacing("gate", with: "patient"), to: "belfry.yaml")
        try run.hear("the former configuration stays in force")
        try PluginFiles.compile([PluginFiles.own("patient")], into: place.file("plugins"))
        #expect(
            try run.hear("reloaded")
                == "reloaded: chain: 'patient' added, 'gate' removed; plugins: 'test.patient' 1.0.0 added")
        #expect(try run.tell("09:10:00", "request sale") == ["09:10:00 deferred sale by patient"])
    }

    /// Two generations of one Swift plugin, with the same types, side by side in one process.
    @Test func `a Swift plugin is replaced, and goes on with its state`() throws {
        try place.write(
            """
            app: shop
            plugins: { directories: [plugins] }
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            campaigns: [ { id: sale, message: Half price } ]
            """, to: "belfry.yaml")
        let cooldown = place.file("plugins/libBelfryCooldown.so")
        let bundled = try Data(contentsOf: PluginFiles.bundled("Cooldown")[0])
        try bundled.write(to: cooldown)
        let run = try LiveRun(in: place, "--watch", "--store", "memory:")
        try run.send([Story.signal("09:00:00", "request sale"), Story.signal("09:01:00", "request sale")])
        #expect(try run.nextDecision().contains(#""notification.created""#))
        #expect(try run.nextDecision().contains("the last one was created less than 1h ago"))
        try bundled.replacing("the last one was ", with: "the past one was ").write(to: cooldown)
        try run.hear("reloaded: plugins: 'cooldown' 1.0.0 rebuilt")
        try run.send([Story.signal("09:02:00", "request sale")])
        #expect(try run.nextDecision().contains("the past one was created less than 1h ago"))
        #expect(try run.end() == 0)
    }

    @Test func `decisions go on while a plugin is being looked at`() throws {
        let run = try LiveRun(in: place, "--watch")
        try run.hear("watching")
        let pipes = ["arrived", "go"].map { place.file($0).path }
        for pipe in pipes { try #require(mkfifo(pipe, 0o600) == 0) }
        // For reading and writing, so that opening does not wait.
        let files = pipes.map { FileHandle(fileDescriptor: open($0, O_RDWR), closeOnDealloc: true) }
        try place.installGate("2.0.0")
        #expect(try LiveLines(files[0]).next() == "2.0.0")
        #expect(try run.tell("09:00:00", "request sale") == ["09:00:00 suppressed sale by gate"])
        for pipe in pipes { unlink(pipe) }
        try files[1].write(contentsOf: Data("go".utf8))
        try run.hear("reloaded: plugins: 'test.gate' 1.0.0 → 2.0.0")
        #expect(try run.tell("09:01:00", "request sale") == ["09:01:00 created sale/1"])
    }
}

extension Data {
    /// With another text of the same length in the place of each.
    fileprivate func replacing(_ text: String, with other: String) -> Data {
        precondition(text.utf8.count == other.utf8.count)
        var copy = self
        while let range = copy.range(of: Data(text.utf8)) { copy.replaceSubrange(range, with: Data(other.utf8)) }
        return copy
    }
}
