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
        try RecordTransfer.export(reader) { line in
            if lines.isEmpty { #expect(throws: Never.self) { try write(3) } }
            lines.append(line)
        }
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
