import BelfryModel
import BelfryRuntime
import BelfryStore
import Foundation
import Testing

/// Records that move from one store to another as lines.
@Suite struct StateTransferTests {
    private let place: Workplace

    init() throws {
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            store: sqlite:old.db
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            regions: [ { id: dam, kind: geofence, latitude: 52.37, longitude: 4.89 } ]
            campaigns: [ { id: sale }, { id: stay, triggers: [ { on: dwell, dwell: 10m, regions: all } ] } ]
            """
        ])
        let first = try place.belfry(
            "run",
            input: """
                {"id":"1","type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"dam"}}
                {"id":"2","type":"notification.requested","subject":"Zoë","time":"2026-03-02T09:05:00Z","data":{"campaign":"sale"}}

                """)
        try #require(first.status == 0, "\(first.errors)")
    }

    private func move() throws -> Command.Result {
        let lines = try place.belfry("state", "export", "--all")
        try #require(lines.status == 0 && lines.lines.count == 3, "\(lines.errors)")
        #expect(lines.lines[0] == #"{"type":"clock.advanced","time":"2026-03-02T09:05:00Z"}"#)
        return try place.belfry("state", "import", "--store", "sqlite:new.db", input: lines.output)
    }

    /// A signal that is too late for its dwelling, one that the cooldown refuses, and one that came before.
    private static let rest = """
        {"id":"3","type":"region.entered","subject":"ben","time":"2026-03-02T08:00:00Z","data":{"region":"dam"}}
        {"id":"4","type":"notification.requested","subject":"Zoë","time":"2026-03-02T09:30:00Z","data":{"campaign":"sale"}}
        {"id":"1","type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"dam"}}

        """

    @Test func `signals go on where they were`() throws {
        let moved = try move()
        #expect(moved.status == 0 && moved.output == "2 records\n", "\(moved.errors)")
        let new = try place.belfry("run", "--store", "sqlite:new.db", input: Self.rest)
        let old = try place.belfry("run", input: Self.rest)
        #expect(new.output == old.output && old.lines.count == 3, "\(old.output)")
        #expect(
            old.output.contains(#""id":"Zoë:2""#)
                && old.output.contains(#""subject":"ben","time":"2026-03-02T08:10:00Z""#))
    }

    @Test(arguments: [["erase", "Zoë"], ["verify", "--repair"]])
    func `who was erased, or is in quarantine, comes back with the next number`(end: [String]) throws {
        if end[0] == "verify" { try damage("Zoë") }
        _ = try place.belfry(["state"] + end, input: Data())
        let exported = try place.belfry("state", "export", "--all")
        #expect(exported.status == 0 && !exported.output.contains("Zoë"), "\(exported.errors)")
        let last = end[0] == "verify" ? QuarantinedRecord.decisions : 1
        let digest = "sha256:c6a12698582fc1104ea24107a2d7268145ff06ef859707729d01fd060897f067"
        #expect(exported.lines[1] == #"{"digest":"\#(digest)","decisions":\#(last)}"#)
        let moved = try place.belfry("state", "import", "--store", "sqlite:new.db", input: exported.output)
        #expect(moved.status == 0 && moved.output == "1 records\n", "\(moved.errors)")
        #expect(try place.belfry("state", "export", "--all", "--store", "sqlite:new.db").output == exported.output)
        for store in ["sqlite:new.db", "sqlite:old.db"] {
            let decided = try place.belfry("run", "--store", store, input: Self.rest).output
            #expect(decided.contains(#""id":"Zoë:\#(last + 1)""#), "\(decided)")
        }
    }

    @Test(arguments: [
        #"{"digest":"ana","decisions":1}"#, #"{"digest":"sha256:\#(String(repeating: "A", count: 64))","decisions":1}"#,
        #"{"digest":"sha256:\#(String(repeating: "a", count: 64))"}"#,
        #"{"digest":"sha256:\#(String(repeating: "a", count: 64))","decisions":-1}"#,
    ])
    func `a number of decisions that is damaged is told by its line`(line: String) throws {
        let result = try place.belfry("state", "import", "--store", "sqlite:new.db", input: "\n\(line)\n")
        #expect(result.status == 1)
        #expect(
            result.errors == """
                line 2 does not say how many decisions a subject has had
                  found: something else than {"digest":"sha256:…","decisions":…} with 64 lower-case hexadecimal digits and a whole number
                  why: without the number, ids that were given would be given again when the subject comes back
                  fix: export again; then begin again with a store that is not there yet

                """)
    }

    @Test func `a store in memory takes none`() throws {
        let result = try place.belfry("state", "import", "--store", "memory:", input: "")
        #expect(result.status == 2 && result.output == "")
        #expect(
            result.errors == """
                cannot import into a store in memory
                  why: it ends with this command, and so would the records
                  fix: name a store that lasts, for example --store sqlite:belfry.db

                """)
    }

    @Test func `a store that has records takes no others`() throws {
        _ = try move()
        let again = try place.belfry("state", "import", "--store", "sqlite:new.db", input: "")
        #expect(again.status == 1)
        #expect(
            again.errors == """
                the store is not new
                  found: records: 2
                  why: ids of decisions that were given in it would be given again by the records to come
                  fix: name a store that is not there yet: another path after 'sqlite:', or another database or schema after 'postgres:'

                """)
    }

    @Test func `a store whose subjects were all erased takes none, with or without its journal`() throws {
        let lines = try place.belfry("state", "export", "--all").output
        for subject in ["ana", "Zoë"] { try #require(try place.belfry("state", "erase", subject).status == 0) }
        let here = try place.belfry("state", "import", input: lines)
        #expect(here.status == 1 && here.output == "")
        #expect(
            here.errors.contains("  found: subjects that were erased: 2, decisions of its journal: 1\n"),
            "\(here.errors)")
        try FileManager.default.removeItem(at: place.file("old.db.journal"))
        let alone = try place.belfry("state", "import", input: lines)
        #expect(
            alone.status == 1 && alone.errors.contains("  found: subjects that were erased: 2\n"), "\(alone.errors)")
    }

    @Test func `a store whose records are all in quarantine takes none`() throws {
        let lines = try place.belfry("state", "export", "--all").output
        let store = try SQLiteStore(path: place.file("old.db").path)
        var rows: [StoreRow.ID] = []
        try store.forEachRow { rows.append($0.id) }
        try store.quarantine(rows.map { ($0, "torn") })
        store.close()
        let result = try place.belfry("state", "import", input: lines)
        #expect(result.status == 1)
        #expect(
            result.errors.contains("  found: records in quarantine: 2, decisions of its journal: 1\n"),
            "\(result.errors)")
    }

    @Test func `a store whose journal has decisions takes none, also where nothing else is left`() throws {
        let lines = try place.belfry("state", "export", "--all").output
        let store = try SQLiteStore(path: place.file("old.db").path)
        try store.commit(StoreBatch(records: ["ana", "Zoë"].map { RecordChange(subject: $0, bytes: nil) }))
        store.close()
        let result = try place.belfry("state", "import", input: lines)
        #expect(
            result.status == 1 && result.errors.contains("  found: decisions of its journal: 1\n"), "\(result.errors)")
    }

    @Test func `what is no record is told by its line`() throws {
        let result = try place.belfry("state", "import", "--store", "sqlite:new.db", input: "{\"subject\":\"ana\"}\n")
        #expect(result.status == 1 && result.errors.hasPrefix("line 1 is no record\n"), "\(result.errors)")
        let damaged = try place.belfry(
            "state", "import", "--store", "sqlite:other.db",
            input: "\n" + #"{"subject":"ana","record":"QkxGUg=="}"# + "\n")
        #expect(damaged.status == 1)
        #expect(
            damaged.errors == """
                cannot read the record of subject 'ana' in line 2
                  why: it does not begin like a record of Belfry
                  fix: export again, if the store that it is of has it damaged after 'belfry state verify --repair' there; remove the store \
                that was begun, with its journal (in PostgreSQL: drop the tables belfry_…), and import into a new one

                """)
    }

    @Test func `a damaged record is told when it is exported, and no import takes the lines`() throws {
        try damage("ana")
        let exported = try place.belfry("state", "export", "--all")
        #expect(exported.status == 1 && exported.lines.count == 3)
        #expect(
            exported.errors == """
                the record of subject 'ana' is damaged
                  why: its checksum does not match: the bytes have changed
                  fix: 'belfry state verify --repair' puts such records right or into quarantine; then export again, since no import \
                takes this one

                """)
        #expect(try place.belfry("state", "import", "--store", "sqlite:new.db", input: exported.output).status == 1)
        try #require(try place.belfry("state", "verify", "--repair").status == 0)
        let again = try place.belfry("state", "export", "--all")
        #expect(again.status == 0 && again.lines.count == 3, "\(again.errors)")
    }

    private func damage(_ subject: String) throws {
        let store = try SQLiteStore(path: place.file("old.db").path)
        defer { store.close() }
        var bytes = try #require(try store.record(for: subject))
        bytes[50] ^= 1
        try store.commit(StoreBatch(records: [RecordChange(subject: subject, bytes: bytes)]))
    }

    @Test func `a record of a newer belfry is for that one`() throws {
        var record = try #require(try self.record(of: "ana"))
        record[4] = 9
        record = RecordFuzzer.sealed(Array(record.dropLast(8)))
        let line = #"{"subject":"ana","record":"\#(Data(record).base64EncodedString())"}"# + "\n"
        let newer = try place.belfry("state", "import", "--store", "sqlite:new.db", input: line)
        #expect(newer.status == 1)
        #expect(
            newer.errors == """
                cannot read the record of subject 'ana' in line 1
                  why: it has format version 9; this belfry knows version 1
                  fix: run the newer belfry that exported it; remove the store that was begun, with its journal (in \
                PostgreSQL: drop the tables belfry_…), and import into a new one

                """)
    }

    private func record(of subject: String) throws -> [UInt8]? {
        let lines = try place.belfry("state", "export", "--all").lines.map { try JSON($0) }
        let line = lines.first { $0["subject"]?.text == subject }
        return line?["record"]?.text.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
    }

    @Test func `two records of one subject are refused, and what is half there is not used`() throws {
        let lines = try place.belfry("state", "export", "--all").output
        let twice = try place.belfry("state", "import", "--store", "sqlite:new.db", input: lines + lines)
        #expect(twice.status == 1)
        #expect(
            twice.errors == """
                the record of subject 'Zoë' comes twice
                  why: they are of two exports, or of two commands 'records', and the older one would give ids that were given before
                  fix: take the lines of one of them; then begin again with a store that is not there yet

                """)
        let run = try place.belfry("run", "--store", "sqlite:new.db", input: Self.rest)
        #expect(run.status == 1 && run.output == "")
        #expect(
            run.errors == """
                the store has only a part of the records that were imported into it
                  why: 'belfry state import' did not come to its end, and who is missing would begin again with ids that were given before
                  fix: remove the store with its journal (in PostgreSQL: drop the tables belfry_…), and import into a new one

                """)
    }

    /// A socket gives what is in it, and then the error that its other end has closed on unread bytes.
    @Test(arguments: 0...2) func `an input that breaks off with an error is not at its end`(count: Int) throws {
        let lines = try place.belfry("state", "export", "--all").lines.prefix(count)
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let (sent, unread) = (Array(Array(lines).asFile.utf8), [UInt8](repeating: 0, count: 1))
        try #require(write(ends[0], sent, sent.count) == sent.count && write(ends[1], unread, 1) == 1)
        close(ends[0])
        let store = try OpenStore(.sqlite(path: place.file("new.db").path))
        let error = #expect(throws: RecordTransferFailure.self) {
            try RecordTransfer.import(from: ends[1], into: store)
        }
        store.close()
        #expect(
            error?.description == """
                cannot read the records to their end
                  why: the system reports behind line \(count): Connection reset by peer
                  fix: check the file, or what writes into the pipe; remove the store that was begun, with its journal (in PostgreSQL: \
                drop the tables belfry_…), and import into a new one
                """)
        let read = try place.belfry("state", "list", "--store", "sqlite:new.db")
        #expect(read.status == 1 && read.errors.contains("only a part of the records"))
    }

    @Test(arguments: [
        ("< .", "cannot read the records to their end"), ("<&-", "cannot read 'standard input'"),
    ])
    func `an import without lines that can be read fails`(input: String, error: String) throws {
        let result = try place.shell("belfry state import --store sqlite:new.db \(input)")
        #expect(result.status == 1 && result.output.hasPrefix("\(error)\n  why: "), "\(result.output)")
    }

    @Test(arguments: [
        ["state", "export", "--all"], ["state", "export", "ana"], ["state", "list"], ["state", "show", "ana"],
        ["state", "verify"], ["explain", "--subject", "ana", "--campaign", "sale"], ["decisions", "list"],
    ])
    func `what is half there is not read as if it were whole`(reader: [String]) throws {
        let lines = try place.belfry("state", "export", "--all").output
        try #require(try place.belfry("state", "import", "--store", "sqlite:new.db", input: lines + lines).status == 1)
        let read = try place.belfry(reader + ["--store", "sqlite:new.db"], input: Data())
        #expect(read.status == 1 && read.output == "")
        #expect(
            read.errors == """
                the store has only a part of the records that are imported into it
                  why: 'belfry state import' has not come to its end, and what is read would look whole
                  fix: wait for its end if it is at work; otherwise remove the store with its journal (in PostgreSQL: drop the \
                tables belfry_…), and import into a new one

                """)
    }

    @Test func `the journal of a store is read also where its records cannot be`() throws {
        let listed = try place.belfry("decisions", "list").output
        try place.write("Dear diary", to: "old.db")
        let alone = try place.belfry("decisions", "list")
        #expect(alone.status == 0 && alone.output == listed && !listed.isEmpty, "\(alone.errors)")
    }
}
