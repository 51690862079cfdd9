import BelfryModel
import BelfryStore
import Foundation
import Testing

/// A store whose journal is gone or does not fit to it: what is said, what a repair makes of it, and that no id is given twice.
@Suite struct JournalLossTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:s.db
            journal: { checkpoint: 1h }
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            campaigns: [ { id: offer, message: Now } ]

            """
        ])
    }

    private static func request(_ subject: String, _ time: String) -> String {
        #"{"type":"notification.requested","subject":"\#(subject)","time":"2026-03-02T\#(time):00Z","data":{"campaign":"offer"}}"#
    }

    /// A run that was killed before it had made a checkpoint.
    private func killedRun(_ lines: [String]) throws {
        let run = try LiveRun(in: place)
        try run.send(lines)
        for _ in lines { _ = try run.nextDecision() }
        #expect(run.stop(SIGKILL) == -SIGKILL)
    }

    private func run(_ subject: String, _ time: String) throws -> Command.Result {
        try place.belfry("run", input: Self.request(subject, time))
    }

    @Test func `a journal that is missing is missed, also before the first checkpoint`() throws {
        try killedRun([Self.request("ana", "09:00")])
        try FileManager.default.moveItem(at: place.file("s.db.journal"), to: place.file("away"))
        let result = try run("ana", "09:00")
        #expect(result.status == 1 && result.output == "")
        #expect(result.errors.contains("why: what comes after entry 0 is missing"))
        let verified = try place.belfry("state", "verify")
        #expect(verified.status == 1)
        #expect(verified.output.contains("its journal is damaged: what comes after entry 0 is missing"))
        try FileManager.default.removeItem(at: place.file("s.db.journal"))
        try FileManager.default.moveItem(at: place.file("away"), to: place.file("s.db.journal"))
        #expect(try run("ana", "09:10").output.contains("ana:2"))
    }

    @Test func `verify tells of a journal that is gone, and of one that ends too early`() throws {
        #expect(try place.belfry("run", input: [Self.request("ana", "09:00")].asFile).status == 0)
        try killedRun([Self.request("ben", "09:00")])
        #expect(try place.belfry("state", "verify").status == 0)
        let journal = place.file("s.db.journal")
        let segment = try #require(
            FileManager.default.contentsOfDirectory(atPath: journal.path).first { $0.hasSuffix("segment") })
        let file = try FileHandle(forUpdating: journal.appending(path: segment))
        try file.truncate(atOffset: 100)
        try file.close()
        let result = try place.belfry("state", "verify")
        #expect(result.status == 1 && result.output.contains("its journal is damaged"))
        #expect(
            result.errors == """
                not everything in the store can be used
                  why: faults of the store as a whole: 1
                  fix: restore store and journal together from a copy, or go on without what the journal has after the last \
                checkpoint: 'belfry state verify --repair'

                """)
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        #expect(try place.belfry("state", "verify").status == 0)
    }

    @Test func `a link to a store leads to its journal, too`() throws {
        try killedRun([Self.request("ana", "09:00")])
        try FileManager.default.createSymbolicLink(
            atPath: place.file("link.db").path, withDestinationPath: place.file("s.db").path)
        let result = try place.belfry("run", "--store", "sqlite:link.db", input: Self.request("ana", "09:10"))
        #expect(result.status == 0 && result.output.contains("ana:2"))
        #expect(!FileManager.default.fileExists(atPath: place.file("link.db.journal").path))
    }

    @Test func `a damaged record is repaired, also where the journal is ahead of it`() throws {
        #expect(try place.belfry("run", input: [Self.request("ana", "09:00")].asFile).status == 0)
        try killedRun([Self.request("ana", "09:10"), Self.request("ben", "09:10")])
        try damage("ana")
        let refused = try run("eve", "09:20")
        #expect(refused.status == 1 && refused.errors.contains("'belfry state verify --repair'"))
        let repaired = try place.belfry("state", "verify", "--repair")
        #expect(repaired.status == 0, "\(repaired.errors)")
        #expect(repaired.output.contains("moved into quarantine now: 1"))
        #expect(!repaired.output.contains("went back"))
        #expect(try run("ben", "09:20").output.contains("ben:2"))
        // How many decisions there were of her cannot be read.
        #expect(try run("ana", "12:00").output.contains("\"id\":\"ana:1099511627777\""))
    }

    @Test func `changes that do not fit to a row are given up by a repair, and no id comes again`() throws {
        #expect(try place.belfry("run", input: [Self.request("ana", "09:00")].asFile).status == 0)
        try killedRun([Self.request("ana", "09:10")])
        let store = try SQLiteStore(path: place.file("s.db").path)
        try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: nil)]))
        store.close()
        #expect(try run("ben", "09:20").status == 1)
        let torn = try place.belfry("state", "export", "--all")
        #expect(torn.status == 1 && torn.output.contains(#"{"subject":"ana","record":""}"#))
        #expect(
            torn.errors.contains(
                "'ana' is damaged\n  why: what its journal says of it does not fit to it\n"), "\(torn.errors)")
        let repaired = try place.belfry("state", "verify", "--repair")
        #expect(repaired.status == 0 && repaired.output.contains("went back to the last checkpoint: 1 subject"))
        #expect(try run("ana", "09:20").output.contains("\"id\":\"ana:4294967297\""))
        // A record that is damaged after that is no reason for it, either; nor one that was imported since.
        try damage("ana")
        #expect(try place.belfry("state", "verify", "--repair").status == 0)
        #expect(try run("ana", "12:00").output.contains("\"id\":\"ana:1099511627777\""))
        let exported = try place.belfry("state", "export", "--all").output
        #expect(try place.belfry("state", "import", "--store", "sqlite:t.db", input: exported).status == 0)
        try damage("ana", in: "t.db")
        #expect(try place.belfry("state", "verify", "--repair", "--store", "sqlite:t.db").status == 0)
        let again = try place.belfry("run", "--store", "sqlite:t.db", input: Self.request("ana", "15:00"))
        #expect(again.output.contains("\"id\":\"ana:2199023255553\""), "\(again.output)")
    }

    @Test func `changes of a record that a newer belfry wrote are left alone`() throws {
        #expect(try place.belfry("run", input: [Self.request("ana", "09:00")].asFile).status == 0)
        try killedRun([Self.request("ana", "09:10")])
        let store = try SQLiteStore(path: place.file("s.db").path)
        let known = try #require(try store.record(for: "ana"))
        let entry = try store.entry(of: "ana")
        func put(_ bytes: [UInt8], in store: SQLiteStore) throws {
            try store.commit(StoreBatch(records: [RecordChange(subject: "ana", bytes: bytes, entry: entry)]))
        }
        var newer = known
        newer[4] = 2
        newer.replaceSubrange(newer.count - 8..<newer.count, with: checksum(newer.dropLast(8)))
        try put(newer, in: store)
        store.close()
        #expect(try place.belfry("state", "verify").output.contains("is newer than this belfry"))
        #expect(try place.belfry("state", "verify", "--repair").status == 1)
        let again = try SQLiteStore(path: place.file("s.db").path)
        try put(known, in: again)
        again.close()
        #expect(try run("ana", "09:20").output.contains("\"id\":\"ana:3\""))
    }

    private func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: bytes.withUnsafeBytes { stableHash($0) }.littleEndian) { Array($0) }
    }

    @Test func `who is erased with a damaged record gets no id again`() throws {
        #expect(try place.belfry("run", input: [Self.request("ana", "09:00")].asFile).status == 0)
        try damage("ana")
        #expect(try place.belfry("state", "erase", "ana").status == 0)
        #expect(try run("ana", "12:00").output.contains("\"id\":\"ana:1099511627777\""))
    }

    @Test func `a store that was copied without its journal is exported with its last tick`() throws {
        #expect(try place.belfry("run", input: [Self.request("ana", "09:00")].asFile).status == 0)
        let exported = try place.belfry("state", "export", "--all").output
        #expect(exported.hasPrefix(#"{"type":"clock.advanced","time":"2026-03-02T09:00:00Z"}"#))
        try FileManager.default.removeItem(at: place.file("s.db.journal"))
        #expect(try place.belfry("state", "export", "--all").output == exported)
    }

    private func damage(_ subject: String, in name: String = "s.db") throws {
        let store = try SQLiteStore(path: place.file(name).path)
        var bytes = try #require(try store.record(for: subject))
        bytes[30] ^= 1
        let entry = try store.entry(of: subject)
        try store.commit(StoreBatch(records: [RecordChange(subject: subject, bytes: bytes, entry: entry)]))
        store.close()
    }
}
