import BelfryJournal
import BelfryModel
import BelfryPostgres
import PostgresServer
import Testing

/// A journal in a database, with small segments.
@Suite struct JournalTablesTests {
    private let address: PostgresAddress
    private let store: String

    init() throws {
        store = try PostgresServer.shared.get().store()
        address = PostgresAddress(store)!
    }

    private func database() throws -> PostgresDatabase { try PostgresDatabase(writing: address, creates: true) }

    private func journal(_ database: PostgresDatabase) throws -> Journal {
        try Journal(.database(database), store: "shop", checkpoint: 0, segmentSize: 200)
    }

    private func entry(_ text: String) -> JournalEntry {
        var entry = JournalEntry(decisions: 2, writtenAt: Instant(milliseconds: 7))
        entry[.lines] = Array(text.utf8)
        entry.values = ["last": Array(text.utf8)]
        return entry
    }

    @Test func `entries are read in their order, over segments and after it is opened again`() throws {
        let written = (1...20).map { "decision \($0)" }
        let first = try database()
        let before = try journal(first)
        _ = try before.append(written.prefix(5).map(entry))
        for text in written[5..<10] { try before.append(entry(text)) }
        first.close()
        let second = try database()
        let after = try journal(second)
        #expect(after.value("last") == Array("decision 10".utf8))
        for text in written.suffix(10) { try after.append(entry(text)) }
        #expect(try after.reader(after: 0).texts() == written)
        #expect(try JournalReader(.database(PostgresDatabase(reading: address))).texts() == written)
        let segments = try PostgresServer.shared.get().query("SELECT count(*) FROM belfry_segments", in: store)
        #expect(segments.first.flatMap { Int($0) } ?? 0 > 3)
    }

    @Test func `another process reads on while it grows, also after a segment was written anew`() throws {
        let journal = try journal(database())
        try journal.append(entry("first"))
        let reader = try JournalReader(.database(PostgresDatabase(reading: address)))
        #expect(try reader.texts() == ["first"])
        #expect(try reader.texts() == [])
        try journal.append(entry("second"))
        #expect(try reader.texts() == ["second"])
        try journal.rewrite { entry in
            guard entry[.lines] == Array("first".utf8) else { return false }
            entry[.lines] = Array("-----".utf8)
            return true
        }
        try journal.append(entry("third"))
        #expect(try reader.texts() == ["third"])
        #expect(
            try JournalReader(.database(PostgresDatabase(reading: address))).texts() == ["-----", "second", "third"])
    }

    @Test func `what is older than the last checkpoint goes with its segment`() throws {
        let journal = try journal(database())
        for number in 1...20 { try journal.append(entry("decision \(number)")) }
        journal.drop(through: journal.last - 2)
        #expect(try journal.reader().texts().count < 20)
        #expect(try journal.reader().texts().last == "decision 20")
    }

    @Test func `who has lost the lease writes nothing any more`() throws {
        let former = try database()
        let late = try journal(former)
        try late.append(entry("before"))
        #expect(throws: PostgresError(.fenced, "")) { try database() }
        // As one that stood still for too long.
        _ = try PostgresServer.shared.get().query(
            "UPDATE belfry_lease SET expires = clock_timestamp() - interval '1 s'", in: store)
        let holder = try database()
        #expect(holder.lease!.term == former.lease!.term + 1)
        let error = #expect(throws: JournalError.self) { try late.append(entry("too late")) }
        #expect(
            error?.description == """
                cannot write to the journal in '\(address)'
                  why: another process has taken its lease
                  fix: nothing need be done: what was not written was not decided, and that process goes on
                """)
        #expect(throws: PostgresError(.fenced, "")) {
            try former.write(.records) { session throws(PostgresError) in
                try session.run("INSERT INTO belfry_meta VALUES ('late', '')")
            }
        }
        #expect(!former.lease!.renew())
        let taken = try journal(holder)
        try taken.append(entry("after"))
        #expect(try taken.reader(after: 0).texts() == ["before", "after"])
    }

    @Test func `a lease ends with the connection of its holder, and says where that can be reached`() throws {
        var holder: PostgresDatabase? = try database()
        holder!.lease!.publish(address: "10.0.0.2:8787")
        #expect(holder!.lease!.renew())
        #expect(throws: PostgresError(.fenced, "10.0.0.2:8787")) { try database() }
        // As a kill does.
        holder = nil
        var next: PostgresDatabase?
        while next == nil { next = try? database() }
        #expect(next!.lease!.term == 2)
    }

    @Test func `one that stands still in the middle of a change holds up nobody for long`() throws {
        let former = try database()
        try former.write(.records) { session throws(PostgresError) in
            try session.run("INSERT INTO belfry_meta VALUES ('half', '')")
            // As if it stood still here: its lease is over, and its share of the row is not.
            _ = try? PostgresServer.shared.get().query(
                "UPDATE belfry_lease SET expires = clock_timestamp() - interval '1 s'", in: store)
            #expect(throws: PostgresError(.fenced, "")) { try database() }
        }
        #expect(try former.reading.run("SHOW idle_in_transaction_session_timeout").text(0, 0) == "4s")
        #expect(try database().lease!.term == 2)
    }

    @Test func `a holder that another role cannot look at keeps its lease`() throws {
        let server = try PostgresServer.shared.get()
        let holder = try database()
        let schema = "s" + store.reversed().prefix { $0 != "s" }.reversed()
        _ = try server.query(
            """
            CREATE ROLE other\(schema) LOGIN;
            GRANT USAGE ON SCHEMA \(schema) TO other\(schema);
            GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO other\(schema);
            """)
        let other = PostgresAddress("postgresql://other\(schema)@" + store.drop { $0 != "@" }.dropFirst())!
        #expect(throws: PostgresError(.fenced, "")) { try PostgresDatabase(writing: other, creates: false) }
        #expect(holder.lease!.renew())
    }
}
