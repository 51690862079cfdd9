import BelfryModel
import BelfryStore
import Foundation
import Testing

/// `belfry state verify`: what is damaged is named, moved aside if asked, and nothing else is lost.
@Suite struct StateVerifyTests {
    private let place: Workplace

    private static let configuration = """
        app: shop
        store: sqlite:shop.db
        chain:
          - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
          - { strategy: max-per-period, id: cap, parameters: { max: 5, period: 1d } }
        regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
        campaigns:
          - { id: sale, message: Sale, triggers: [ { on: enter, regions: all }, { on: dwell, dwell: 10m, regions: all } ] }

        """

    init() throws {
        place = try Workplace(["belfry.yaml": Self.configuration])
        let result = try place.belfry("run", input: ["ana", "ben", "eve"].map { Self.entry(of: $0, "09:00") }.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    private static func entry(of subject: String, _ time: String) -> String {
        #"{"type":"region.entered","subject":"\#(subject)","time":"2026-03-02T\#(time):00Z","data":{"region":"dam"}}"#
    }

    private func change(_ change: (SQLiteStore) throws -> Void) throws {
        let store = try SQLiteStore(path: place.file("shop.db").path)
        try change(store)
        store.close()
    }

    /// Changes the record of a subject byte by byte.
    private func edit(_ subject: String, _ edit: (inout [UInt8]) -> Void) throws {
        try change { store in
            var bytes = try #require(try store.record(for: subject))
            edit(&bytes)
            try store.commit(StoreBatch(records: [RecordChange(subject: subject, bytes: bytes)]))
        }
    }

    private func flip(_ subject: String) throws { try edit(subject) { $0[30] ^= 1 } }

    private static let fix = """
          fix: 'belfry state verify --repair' moves such records into quarantine, so that their subjects start afresh, and puts \
        timers right

        """

    // MARK: All good

    @Test func `a good store is called good`() throws {
        let result = try place.belfry("state", "verify")
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output == "records: 3, 3 good\n")
        #expect(
            try place.belfry("state", "verify", "--json").output == """
                {"records":3,"good":3,"damaged":[],"newer":[],"mistimed":[],"store":[],"setBack":0,"journal":null,"quarantined":0,\
                "unclaimed":[],"repaired":false}

                """)
        #expect(try place.belfry("state", "verify", "--repair").output == "records: 3, 3 good\n")
    }

    @Test func `a store needs no configuration to be verified`() throws {
        try FileManager.default.removeItem(at: place.file("belfry.yaml"))
        let result = try place.belfry("state", "verify", "--store", "sqlite:shop.db")
        #expect(result.status == 0 && result.output == "records: 3, 3 good\n" && result.errors == "")
    }

    @Test func `a wrong configuration is in the way only where it is needed`() throws {
        try place.write("app: shop\nchian: []\n", to: "belfry.yaml")
        let result = try place.belfry("state", "verify", "--store", "sqlite:shop.db")
        #expect(result.status == 0 && result.output == "records: 3, 3 good\n")
        #expect(
            result.errors
                == "warning: 'belfry.yaml' has errors, so state is not compared with its chain\n")
        #expect(try place.belfry("state", "verify").status == 2)
    }

    @Test func `it can be verified during a run, but not repaired`() throws {
        let running = try SQLiteStore(path: place.file("shop.db").path)
        #expect(try place.belfry("state", "verify").output == "records: 3, 3 good\n")
        let repair = try place.belfry("state", "verify", "--repair")
        #expect(repair.status == 1 && repair.output == "")
        #expect(repair.errors.contains("is writing to it, and a store has one writer at a time"))
        running.close()
    }

    // MARK: Damaged records

    @Test func `every damaged record is named with the reason`() throws {
        try flip("eve")
        try edit("ana") { $0.removeAll() }
        let result = try place.belfry("state", "verify")
        #expect(result.status == 1)
        #expect(
            result.output == """
                the record of subject 'ana' is damaged
                  why: it does not begin like a record of Belfry
                the record of subject 'eve' is damaged
                  why: its checksum does not match: the bytes have changed
                records: 3, 1 good, 2 damaged

                """)
        #expect(
            result.errors == """
                not everything in the store can be used
                  why: records that cannot be read: 2

                """ + Self.fix)
        let json = try JSON(place.belfry("state", "verify", "--json").output)
        #expect(json["damaged"]?.list?.map { $0.map?["subject"] } == ["ana", "eve"])
        #expect(json["good"] == 1)
    }

    @Test(
        arguments: [
            ["state", "show", "ana"], ["state", "loaded", "ana"], ["state", "loaded", "ana", "--json"],
            ["explain", "--subject", "ana", "--campaign", "sale"], ["run", "--shadow", "belfry.yaml"],
        ], ["thread", "process"])
    func `what has to read a damaged record names it, with the reason and what to do`(
        command: [String], isolation: String
    ) throws {
        try place.write("isolation: \(isolation)\n" + Self.configuration, to: "belfry.yaml")
        try flip("ana")
        let result = try place.belfry(command, input: Data())
        #expect(result.status == 1 && result.output == "")
        #expect(result.errors == Self.unreadable)
    }

    private static let unreadable = """
        cannot read the record of subject 'ana'
          why: its checksum does not match: the bytes have changed
          fix: restore the store from a copy, or move such records into quarantine with 'belfry state verify --repair'; \
        nothing was changed

        """

    @Test func `a repair moves damaged records into quarantine, and loses no other`() throws {
        try flip("ana")
        let others = try ["ben", "eve"].map { try place.belfry("state", "export", $0).output }
        let repair = try place.belfry("state", "verify", "--repair")
        #expect(repair.status == 0 && repair.errors == "")
        #expect(
            repair.output == """
                the record of subject 'ana' is damaged
                  why: its checksum does not match: the bytes have changed
                records: 3, 2 good, 1 damaged
                moved into quarantine now: 1; their subjects start afresh

                """)
        #expect(
            try place.belfry("state", "verify").output
                == "records: 2, 2 good\nin quarantine before: 1\n")
        #expect(try ["ben", "eve"].map { try place.belfry("state", "export", $0).output } == others)
    }

    @Test func `a run stops at a damaged record, and goes on after the repair, its subject afresh`() throws {
        try flip("ana")
        let again = [Self.entry(of: "ana", "09:01"), Self.entry(of: "ben", "09:02")].asFile
        let stopped = try place.belfry("run", input: again)
        #expect(stopped.status == 1 && stopped.output == "")
        #expect(stopped.errors == Self.unreadable)
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        let run = try place.belfry("run", input: again)
        #expect(run.status == 0)
        // Ana enters for the first time again; Ben is inside already.
        #expect(try run.lines.map { try JSON($0)["subject"]?.text } == ["ana"])
    }

    @Test func `what a newer belfry wrote is no damage, and is left alone`() throws {
        try edit("ana") { bytes in
            bytes[4] = 9
            bytes = RecordFuzzer.sealed(Array(bytes.dropLast(8)))
        }
        try flip("ben")
        let repair = try place.belfry("state", "verify", "--repair")
        #expect(repair.status == 1)
        #expect(
            repair.output == """
                the record of subject 'ana' is newer than this belfry
                  why: it has format version 9; this belfry knows version 1
                the record of subject 'ben' is damaged
                  why: its checksum does not match: the bytes have changed
                records: 3, 1 good, 1 damaged, 1 newer
                moved into quarantine now: 1; their subjects start afresh

                """)
        #expect(
            repair.errors == """
                not everything in the store can be used
                  why: records of a newer belfry: 1
                  fix: run the newer belfry that wrote them

                """)
        #expect(try place.belfry("state", "list").output == "ana\neve\n")
        #expect(
            try place.belfry("state", "show", "ana").errors == """
                cannot read the record of subject 'ana'
                  why: it has format version 9; this belfry knows version 1
                  fix: run the newer belfry that wrote it; nothing was changed

                """)
    }

    @Test func `a timer that the store has wrong is put right, and fires`() throws {
        try change { store in
            let bytes = try store.record(for: "ana")
            try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: bytes, nextDue: nil)]))
        }
        let result = try place.belfry("state", "verify")
        #expect(result.status == 1)
        #expect(
            result.output == """
                the next timer of subject 'ana' is wrong
                  why: its next timer is due 2026-03-02T09:10:00Z by the record, never by the store
                records: 3, 3 good

                """)
        #expect(
            result.errors == """
                not everything in the store can be used
                  why: timers that are wrong: 1

                """ + Self.fix)
        #expect(
            try place.belfry("state", "verify", "--repair").lines.suffix(2)
                == ["records: 3, 3 good", "timers put right: 1"])
        #expect(try place.belfry("state", "verify").status == 0)
        let run = try place.belfry("run", "--until", "2026-03-02T09:30:00Z")
        #expect(try run.lines.map { try JSON($0)["subject"]?.text } == ["ana", "ben", "eve"])
    }

    // MARK: The store as a whole

    @Test func `damage to the file is told, and the records that can be read are still counted`() throws {
        try change { store in
            // A page of its own for the index, whose content is then lost; the table is whole.
            let changes = (0..<500).map { number in
                RecordChange(subject: "extra-\(number)", bytes: [], nextDue: nil)
            }
            try store.commit(StoreBatch(records: changes))
            try store.commit(StoreBatch(records: changes.map { RecordChange(subject: $0.subject, bytes: nil) }))
        }
        // The free list of the file, in the header of the first page.
        let file = try FileHandle(forUpdating: place.file("shop.db"))
        try file.seek(toOffset: 36)
        try file.write(contentsOf: Data([0, 0, 0, 99]))
        try file.close()
        let result = try place.belfry("state", "verify")
        #expect(result.status == 1)
        #expect(result.output.hasPrefix("the store is damaged\n  why: SQLite finds the file damaged: "))
        #expect(result.output.hasSuffix("\nrecords: 3, 3 good\n"))
        #expect(
            result.errors.hasSuffix(
                "\n  fix: restore it from a copy, or save what can be read: sqlite3 OLD .recover | sqlite3 NEW\n"))
    }

    @Test func `a run that says nothing sensible of how far it came is told with what can be done`() throws {
        try change { try $0.commit(StoreBatch(meta: ["run": Array("far".utf8)])) }
        let result = try place.belfry("state", "verify")
        #expect(result.status == 1)
        #expect(
            result.output == """
                the store is damaged
                  why: what it says of how far the last run came makes no sense
                records: 3, 3 good

                """)
        #expect(result.errors.hasSuffix("\n  fix: restore store and journal together from a copy\n"))
    }

    @Test(arguments: [[], ["--repair"]])
    func `where nothing can be found out, it is not itself what to try next`(options: [String]) throws {
        try change { try $0.commit(StoreBatch(meta: ["checkpoint": Array("here".utf8)])) }
        let result = try place.belfry(["state", "verify"] + options, input: Data())
        #expect(result.status == 1 && result.output == "")
        #expect(
            result.errors == """
                cannot verify this store
                  why: what it says of its last checkpoint makes no sense
                  fix: restore store and journal together from a copy

                """)
        #expect(try place.belfry("state", "list").errors.contains("; 'belfry state verify' says what else is damaged"))
    }

    // MARK: State that is not used

    @Test func `state that the chain has no place for is listed, kept, and no damage`() throws {
        try place.write(
            Self.configuration.replacing("id: cap", with: "id: limit").replacing(
                "strategy: cooldown, per: campaign", with: "strategy: once, id: cooldown"
            ).replacing(
                "parameters: { period: 1h }", with: "enabled: true"),
            to: "belfry.yaml")
        let result = try place.belfry("state", "verify", "--repair")
        #expect(result.status == 0 && result.errors == "")
        #expect(
            result.output == """
                records: 3, 3 good

                state that no entry uses, and that is kept:
                ENTRY     STRATEGY        SUBJECTS  WHY
                cap       max-per-period  3         the chain of belfry.yaml has no entry 'cap'
                cooldown  cooldown        3         the entry 'cooldown' is one of strategy 'once' now

                """)
        #expect(
            try place.belfry("state", "verify", "--json").output.contains(
                """
                "unclaimed":[{"entry":"cap","strategy":"max-per-period","subjects":3,\
                "reason":"the chain of belfry.yaml has no entry 'cap'"},
                """))
        #expect(
            try place.belfry("state", "show", "ana").output.contains("cap.creations = [\"2026-03-02T09:00:00Z\"]\n"))
    }

    @Test func `state whose plugin is missing is listed`() throws {
        try place.makePlugins(PluginFiles.bundled("Cooldown"))
        try place.write("plugins: { directories: [plugins] }\n" + Self.configuration, to: "belfry.yaml")
        let result = try place.belfry("state", "verify")
        #expect(result.status == 0)
        #expect(
            result.output.hasSuffix(
                """
                ENTRY  STRATEGY        SUBJECTS  WHY
                cap    max-per-period  3         no plugin has the strategy 'max-per-period'

                """))
    }
}
