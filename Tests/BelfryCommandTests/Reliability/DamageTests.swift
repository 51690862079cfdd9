import BelfryStore
import Foundation
import Testing

/// Stores that another process uses, or that are broken, or whose plugins are gone: what a user reads then.
@Suite struct DamageTests {
    private static let configuration = """
        app: shop
        store: sqlite:s.db
        chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
        campaigns: [ { id: offer, message: Now } ]

        """

    private static func request(_ subject: String, at time: String) -> String {
        #"{"type":"notification.requested","subject":"\#(subject)","time":"2026-03-02T\#(time)Z","data":{"campaign":"offer"}}"#
    }

    private let place: Workplace

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        let people = (100..<400).map { Self.request("p\($0)", at: "09:00:00") }
        let result = try place.belfry("run", input: people.asFile)
        try #require(result.status == 0 && result.lines.count == 300, "\(result.errors)")
    }

    // MARK: Another process

    @Test func `a store that another belfry writes to is refused, and the other one is named`() throws {
        let other = try LiveRun(in: place)
        try other.send([Self.request("ana", at: "10:00:00")])
        #expect(try other.nextDecision().contains("offer/1"))
        let result = try place.belfry("run", input: Self.request("ben", at: "10:00:00"))
        #expect(result.status == 1 && result.output == "")
        #expect(
            result.errors == """
                cannot open store 's.db'
                  why: process \(other.identifier) is writing to it, and a store has one writer at a time
                  fix: wait until that process has ended, or name another store

                """)
        // Reading is no trouble.
        #expect(try place.belfry("state", "show", "ana").status == 0)
        #expect(try other.end() == 0)
        #expect(try place.belfry("run", input: Self.request("ben", at: "10:00:00")).lines.count == 1)
    }

    @Test func `a belfry that was killed keeps nobody out`() throws {
        let other = try LiveRun(in: place)
        try other.send([Self.request("ana", at: "10:00:00")])
        #expect(try other.nextDecision().contains("offer/1"))
        #expect(other.stop(SIGKILL) == -SIGKILL)
        #expect(try place.belfry("run", input: Self.request("ben", at: "10:00:00")).status == 0)
    }

    // MARK: Broken files

    private func overwrite(_ range: Range<Int>) throws {
        let file = try FileHandle(forUpdating: place.file("s.db"))
        try file.seek(toOffset: UInt64(range.lowerBound))
        try file.write(contentsOf: Data(range.map { UInt8(truncatingIfNeeded: $0 * 7 + 13) }))
        try file.close()
    }

    private func size() throws -> Int { try Data(contentsOf: place.file("s.db")).count }

    private func expectRefusal(_ text: String, _ arguments: [String] = ["run"]) throws {
        let result = try place.belfry(arguments, input: Data(Self.request("p200", at: "12:00:00").utf8))
        #expect(result.status == 1 && result.output == "", "\(result.output)")
        #expect(result.errors == text + "\n")
    }

    @Test(arguments: [["run"], ["state", "show", "p200"]])
    func `a damaged database file is told of, and left as it is`(arguments: [String]) throws {
        try overwrite(4096..<size())
        let before = try Data(contentsOf: place.file("s.db"))
        try expectRefusal(
            """
            cannot open store 's.db'
              why: its content is damaged: database disk image is malformed
              fix: restore it from a backup, or name another store to begin anew
            """, arguments)
        #expect(try Data(contentsOf: place.file("s.db")) == before)
    }

    @Test func `a file whose beginning is gone is no database any more`() throws {
        try overwrite(0..<100)
        try expectRefusal(
            """
            cannot open store 's.db'
              why: the file is not an SQLite database
              fix: name another file; this one is left as it is
            """)
    }

    @Test func `a file that was cut off is damaged`() throws {
        truncate(place.file("s.db").path, off_t(try size() / 2 / 4096 * 4096))
        try expectRefusal(
            """
            cannot open store 's.db'
              why: its content is damaged: database disk image is malformed
              fix: restore it from a backup, or name another store to begin anew
            """)
    }

    // MARK: Broken content

    private func change(_ change: (any RecordStore) throws -> Void) throws {
        let store = try StoreLocation.sqlite(path: place.file("s.db").path).open()
        defer { store.close() }
        try change(store)
    }

    @Test func `a damaged record ends the run before anything is decided for its subject`() throws {
        try change { store in
            var record = try #require(try store.record(for: "p200"))
            record[40] ^= 1
            try store.commit(StoreBatch(records: [RecordChange(subject: "p200", bytes: record)]))
        }
        try expectRefusal(
            """
            cannot read the record of subject 'p200'
              why: its checksum does not match: the bytes have changed
              fix: restore the store from a copy, or move such records into quarantine with 'belfry state verify --repair'; nothing was changed
            """)
        // With another one it is read ahead, which says nothing yet.
        for isolation in ["thread", "process"] {
            let both = ["p202", "p200"].map { Self.request($0, at: "12:00:00") }.asFile
            let run = try place.belfry("run", "--shards", "1", "--isolation", isolation, input: both)
            #expect(run.status == 1, "\(isolation)")
            #expect(run.errors.contains("cannot read the record of subject 'p200'"), "\(run.errors)")
        }
        #expect(try place.belfry("run", input: Self.request("p201", at: "12:00:00")).status == 0)
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        #expect(try place.belfry("run", input: Self.request("p200", at: "12:00:00")).status == 0)
    }

    // MARK: The journal

    private var segment: URL { place.file("s.db.journal/00000000000000000001.segment") }
    private static let journalFix = """
          fix: restore store and journal together from a copy, or go on without what the journal has after the last checkpoint: \
        'belfry state verify --repair'
        """

    /// Kills a run that has decided something, so that the journal is ahead of the store.
    private func kill() throws {
        let other = try LiveRun(in: place)
        try other.send([Self.request("ana", at: "10:00:00")])
        #expect(try other.nextDecision().contains("offer/1"))
        #expect(other.stop(SIGKILL) == -SIGKILL)
    }

    @Test func `what the journal knows and the store does not is shown, and brought up by the next run`() throws {
        try kill()
        #expect(try place.belfry("state", "show", "ana").output.contains("current[offer/1]"))
        #expect(try place.belfry("state", "list").output.hasPrefix("ana\n"))
        #expect(try place.belfry("state", "verify").output == "records: 301, 301 good\n")
        let again = try place.belfry("run", input: Self.request("ana", at: "10:10:00"))
        #expect(again.output.contains("notification.suppressed"), "\(again.output)")
    }

    @Test func `two spellings are two subjects, also after a kill`() throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let other = try LiveRun(in: place)
        for (subject, time) in [(one, "10:00:00"), (two, "10:05:00")] {
            try other.send([Self.request(subject, at: time)])
            _ = try other.nextDecision()
        }
        #expect(other.stop(SIGKILL) == -SIGKILL)
        #expect(try place.belfry("state", "verify").output == "records: 302, 302 good\n")
        for (subject, until) in [(one, "11:00:00"), (two, "11:05:00")] {
            let again = try place.belfry("run", input: Self.request(subject, at: "10:10:00"))
            #expect(again.output.contains("2026-03-02T\(until)Z"), "\(again.errors)")
        }
    }

    @Test func `a torn end of the journal is cut off`() throws {
        let file = try FileHandle(forUpdating: segment)
        let size = try file.seekToEnd()
        try file.write(contentsOf: Data("BLFJ and no more".utf8))
        try file.close()
        let result = try place.belfry("run", input: Self.request("p200", at: "09:10:00"))
        #expect(result.status == 0 && result.output.contains("notification.suppressed"), "\(result.errors)")
        #expect(try Data(contentsOf: segment).count > Int(size))
        #expect(try place.belfry("state", "verify").status == 0)
    }

    @Test func `a journal that is damaged in its middle is told of, and put aside by a repair`() throws {
        try kill()
        let file = try FileHandle(forUpdating: segment)
        try file.seek(toOffset: 250)
        try file.write(contentsOf: Data([1, 2, 3]))
        try file.close()
        let refused = try place.belfry("run", input: Self.request("p200", at: "12:00:00"))
        #expect(refused.status == 1 && refused.output == "")
        #expect(
            refused.errors.replacing(/byte \d+/, with: "byte N") == """
                cannot use the journal 's.db.journal'
                  why: '00000000000000000001.segment' is damaged at byte N, and goes on behind that

                """ + Self.journalFix + "\n")
        #expect(try place.belfry("state", "verify").status == 1)
        let repaired = try place.belfry("state", "verify", "--repair")
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(
            repaired.output.replacing(/byte \d+/, with: "byte N") == """
                records: 300, 300 good
                the journal was damaged, and is now at 's.db.journal.damaged-1'; the store goes on with a new one
                  why: '00000000000000000001.segment' is damaged at byte N, and goes on behind that
                  lost: decisions, and what records became after the last checkpoint

                """)
        #expect(try place.belfry("run", input: Self.request("p200", at: "09:10:00")).status == 0)
    }

    @Test func `a store that was closed in peace may be moved alone`() throws {
        try FileManager.default.removeItem(at: place.file("s.db.journal"))
        let result = try place.belfry("run", input: Self.request("p200", at: "09:10:00"))
        #expect(result.status == 0 && result.output.contains("notification.suppressed"), "\(result.errors)")
        #expect(try place.belfry("run", input: Self.request("p200", at: "09:20:00")).output.contains(#""id":"p200:3""#))
    }

    @Test func `a journal that is gone while it is needed is missed`() throws {
        try kill()
        try FileManager.default.removeItem(at: place.file("s.db.journal"))
        let result = try place.belfry("run", input: Self.request("p200", at: "12:00:00"))
        #expect(
            result.errors == """
                cannot use the journal 's.db.journal'
                  why: what comes after entry 0 is missing

                """ + Self.journalFix + "\n")
    }

    @Test func `the journal of another store is refused`() throws {
        try FileManager.default.moveItem(at: place.file("s.db"), to: place.file("old.db"))
        let result = try place.belfry("run", input: Self.request("p200", at: "12:00:00"))
        #expect(
            result.errors == """
                cannot use the journal 's.db.journal'
                  why: it is the journal of another store
                  fix: put the store and its journal side by side again, as they were

                """)
    }

    // MARK: Plugins that are gone

    @Test func `state whose entry is gone is kept, listed, and used again when the entry comes back`() throws {
        try place.write(Self.configuration.replacing(/chain: .*/, with: "chain: []"), to: "belfry.yaml")
        let without = try place.belfry("run", input: Self.request("p200", at: "09:10:00"))
        #expect(without.lines.count == 1 && without.output.contains("notification.created"))
        #expect(try place.belfry("state", "show", "p200").output.contains("cooldown"))
        let verified = try place.belfry("state", "verify")
        #expect(verified.status == 0)
        #expect(
            verified.output == """
                records: 300, 300 good

                state that no entry uses, and that is kept:
                ENTRY     STRATEGY  SUBJECTS  WHY
                cooldown  cooldown  300       the chain of belfry.yaml has no entry 'cooldown'

                """)
        try place.write(Self.configuration, to: "belfry.yaml")
        let again = try place.belfry("run", input: Self.request("p200", at: "09:20:00"))
        #expect(
            again.output.contains("notification.suppressed")
                && again.output.contains(#""until":"2026-03-02T10:00:00Z""#))
    }

    @Test func `a chain whose plugin is gone decides nothing, and the state is kept`() throws {
        let before = try place.belfry("state", "export", "p200").output
        try place.makePlugins(PluginFiles.bundled("Once"))
        try place.write("plugins: { directories: [plugins] }\n" + Self.configuration, to: "belfry.yaml")
        let result = try place.belfry("run", input: Self.request("p200", at: "09:10:00"))
        #expect(result.status == 2 && result.output == "", "\(result.errors)")
        #expect(try place.belfry("state", "export", "p200").output == before)
        #expect(
            result.errors == """
                belfry.yaml:4: chain[0].strategy
                  found: the unknown strategy 'cooldown'
                  expected: one that a plugin has: the plugins in './plugins' offer once
                  fix: put the plugin that offers it into one of these folders, or add its folder to 'plugins: directories' \
                ('bundled' is that of belfry)

                """)
    }

    @Test func `the end of an input that a kill kept from coming comes when all is sent again`() throws {
        let place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            regions: [ { id: r, kind: geofence, latitude: 1, longitude: 1 } ]
            campaigns:
              - { id: stay, triggers: [ { on: dwell, dwell: 10m, regions: [r] } ] }
              - { id: offer, message: Now }
            """
        ])
        let signals = [
            #"{"id":"1","type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"r"}}"#,
            Self.request("ben", at: "10:00:00").replacing(#"{"type""#, with: #"{"id":"2","type""#),
        ]
        let other = try LiveRun(in: place)
        try other.send(signals)
        #expect(try other.nextDecision().contains("offer/1"))
        #expect(other.stop(SIGKILL) == -SIGKILL)
        let again = try place.belfry("run", input: signals.asFile)
        #expect(again.output.contains("stay/1") && again.errors.contains("2 duplicates"), "\(again.errors)")
        let once = try place.belfry("run", input: signals.asFile)
        #expect(once.status == 0 && once.output == "")
    }
}
