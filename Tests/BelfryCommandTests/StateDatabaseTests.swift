import BelfryModel
import BelfryPostgres
import BelfryRuntime
import BelfryStore
import Foundation
import PostgresServer
import Testing

/// `belfry state` over a store in a database.
@Suite struct StateDatabaseTests {
    private let server: PostgresServer
    private let store: String
    private let place: Workplace

    init() throws {
        server = try PostgresServer.shared.get()
        store = try server.store()
        place = try Workplace([
            "belfry.yaml": """
            app: shop
            chain: [ { strategy: cooldown, per: campaign, parameters: { period: 1h } } ]
            campaigns: [ { id: sale } ]
            """
        ])
    }

    private func run() throws {
        let signals = ["ana", "ben"].map {
            #"{"type":"notification.requested","subject":"\#($0)","time":"2026-03-02T09:00:00Z","data":{"campaign":"sale"}}"#
        }
        let result = try place.belfry("run", "--store", store, input: signals.asFile)
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test func `a journal that is cut is repaired as beside a file`() throws {
        try run()
        _ = try server.query("DELETE FROM belfry_pieces WHERE place > 0", in: store)
        let result = try place.belfry("state", "verify", "--store", store)
        #expect(result.status == 1 && result.output.contains("its journal is damaged: it ends with entry "))
        #expect(
            result.errors == """
                not everything in the store can be used
                  why: faults of the store as a whole: 1
                  fix: restore store and journal together from a copy, or go on without what the journal has after the last \
                checkpoint: 'belfry state verify --repair'

                """)
        #expect(try place.belfry("state", "verify", "--repair", "--store", store).status == 0)
        #expect(try place.belfry("state", "verify", "--store", store).output == "records: 2, 2 good\n")
    }

    @Test func `all lines of an export are of one instant, whatever is written meanwhile`() throws {
        let address = try #require(PostgresAddress(store))
        let writer = try PostgresStore(at: address)
        defer { writer.close() }
        // More than a page.
        let subjects = (1000..<2500).map { "s\($0)" }
        func write(_ byte: UInt8) throws {
            let changes = (subjects + ["z\(byte)"]).map { RecordChange(subject: $0, bytes: [byte]) }
            try writer.commit(StoreBatch(records: changes))
        }
        try write(1)
        let reader = try JournaledStore(.postgres(address), atOneInstant: true)
        defer { reader.close() }
        try write(2)
        var lines: [String] = []
        // They are no records, which is told in the end.
        var result: Result<Void, any Error>?
        #expect(throws: RecordTransferFailure.self) {
            try RecordTransfer.export(reader) { line in
                if lines.isEmpty { result = Result { try write(3) } }
                lines.append(line)
            }
        }
        try result?.get()
        #expect(lines.count == subjects.count + 1)
        #expect(lines.allSatisfy { $0.hasSuffix(#""record":"AQ=="}"#) }, "\(lines.last ?? "")")
        #expect(try writer.record(for: "z3") == [3])
    }

    @Test func `the command exports what the journal has, too`() throws {
        try run()
        let exported = try place.belfry("state", "export", "--all", "--store", store)
        #expect(exported.status == 0 && exported.lines.count == 3, "\(exported.errors)")
        let moved = try place.belfry("state", "import", "--store", "sqlite:new.db", input: exported.output)
        #expect(moved.status == 0 && moved.output == "2 records\n", "\(moved.errors)")
    }

    /// The store as a role sees it that may do all with its tables, and does not own them.
    private func tenant(_ role: String) throws -> String {
        _ = try server.query(
            """
            CREATE ROLE \(role) LOGIN;
            DO $$ BEGIN
                EXECUTE 'GRANT ALL ON SCHEMA ' || current_schema() || ' TO \(role)';
                EXECUTE 'GRANT ALL ON ALL TABLES IN SCHEMA ' || current_schema() || ' TO \(role)';
                EXECUTE 'GRANT ALL ON ALL SEQUENCES IN SCHEMA ' || current_schema() || ' TO \(role)';
            END $$
            """, in: store)
        return store.replacing("belfry@", with: "\(role)@")
    }

    private static let isNotErased = """
          why: role 'tenant' does not own belfry_lines, belfry_pieces, belfry_quarantine, belfry_records, and may not vacuum them: what is \
        erased would stay legible in their files
          fix: use the role that owns them, 'belfry', or GRANT it to 'tenant'; nothing is erased

        """

    @Test func `a role that may not vacuum the tables erases nothing, and is told so`() throws {
        try run()
        let tenant = try tenant("tenant")
        let before = try place.belfry("decisions", "list", "--store", store).output
        let refused = try place.belfry("state", "erase", "ana", "--store", tenant)
        #expect(refused.status == 1 && refused.output == "")
        #expect(refused.errors.hasPrefix("cannot erase from store '"), "\(refused.errors)")
        #expect(refused.errors.hasSuffix("'\n" + Self.isNotErased), "\(refused.errors)")
        #expect(try place.belfry("state", "list", "--store", store).output == "ana\nben\n")
        #expect(try place.belfry("decisions", "list", "--store", store).output == before)
        _ = try server.query("GRANT belfry TO tenant")
        #expect(try place.belfry("state", "erase", "ana", "--store", tenant).status == 0)
        #expect(try place.belfry("state", "list", "--store", store).output == "ben\n")
    }

    @Test func `a service whose role may not vacuum them erases nothing, and goes on`() async throws {
        try run()
        let service = try LiveService(in: place, "--store", try tenant("serving"))
        let url = service.api + "/v1/subjects/ana"
        try await service.wait(for: "the service to answer") { try await service.send("GET", url, [:]).status == 200 }
        let answer = try await service.send("DELETE", url, [:])
        #expect(answer.status == 500 && answer.text.contains(#""code":"cannot-erase""#), "\(answer.text)")
        #expect(answer.text.contains("role 'serving' does not own belfry_lines, "), "\(answer.text)")
        #expect(try await service.send("GET", url, [:]).status == 200)
        let signal = #"{"type":"notification.requested","subject":"cem","data":{"campaign":"sale"}}"#
        #expect(try await service.post(signal, as: "application/x-ndjson").status == 200)
        #expect(try await service.manage("GET", "/readyz").text == "ready\n")
        #expect(service.stop() == 0)
    }

    @Test func `a snapshot waits for whatever takes what is read`() throws {
        let address = try #require(PostgresAddress(store))
        try PostgresStore(at: address).close()
        let reader = try PostgresStore(at: address, readOnly: true)
        defer { reader.close() }
        try reader.beginSnapshot()
        let limit = try reader.database().reading.run(
            "SELECT current_setting('idle_in_transaction_session_timeout')")
        #expect(limit.text(0, 0) == "0")
    }
}
