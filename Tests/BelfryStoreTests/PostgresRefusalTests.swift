import BelfryPostgres
import BelfryStore
import Foundation
import PostgresServer
import Synchronization
import Testing

/// Stores in a database that are not opened, and what is said about it.
@Suite struct PostgresRefusalTests {
    private let server: PostgresServer
    private let store: String

    init() throws {
        server = try PostgresServer.shared.get()
        store = try server.store()
        try PostgresStore(at: #require(PostgresAddress(store))).close()
    }

    /// - Parameter store: the same one, named in another way.
    private func refusal(_ store: String? = nil, readOnly: Bool) throws -> StoreError? {
        let address = try #require(PostgresAddress(store ?? self.store))
        return #expect(throws: StoreError.self) { try PostgresStore(at: address, readOnly: readOnly) }
    }

    @Test func `several that begin at once make one store, and the others wait for its lease`() throws {
        // Not the shared one: other tests that make a store would wait for this lock.
        let server = try PostgresServer()
        let address = try #require(PostgresAddress(try server.store()))
        let gate = try PostgresConnection(address)
        try gate.run("SELECT pg_advisory_lock(1114400370)")
        let codes = Mutex<[StoreError.Code]>([])
        let group = DispatchGroup()
        for _ in 0..<4 {
            group.enter()
            Thread.detachNewThread {
                do throws(StoreError) { try PostgresStore(at: address).close() } catch {
                    codes.withLock { $0.append(error.code) }
                }
                group.leave()
            }
        }
        let waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        while try gate.run(waiting).count < 4, codes.withLock({ $0.isEmpty }) {}
        try gate.run("SELECT pg_advisory_unlock(1114400370)")
        group.wait()
        #expect(codes.withLock { $0.allSatisfy { $0 == .locked } }, "\(codes.withLock { $0 })")
    }

    @Test(arguments: [false, true])
    func `a store without the row of its lease is damaged`(readOnly: Bool) throws {
        _ = try server.query("DELETE FROM belfry_lease", in: store)
        let error = try refusal(readOnly: readOnly)
        #expect(error?.code == .damaged)
        #expect(
            error?.message.hasSuffix(
                """
                  why: its content is damaged: its table 'belfry_lease' has no row
                  fix: restore it from a backup, or name another store to begin anew
                """) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [false, true])
    func `a store that lacks a table is damaged`(readOnly: Bool) throws {
        _ = try server.query("DROP TABLE belfry_quarantine", in: store)
        let error = try refusal(readOnly: readOnly)
        #expect(error?.code == .damaged)
        #expect(
            error?.message.contains(#"its content is damaged: relation "belfry_quarantine" does not exist"#) == true,
            "\(error?.message ?? "")")
    }

    /// Of a role that may connect, and nothing else.
    private func stranger(_ name: String) throws -> String {
        _ = try server.query("CREATE ROLE \(name) LOGIN")
        return store.replacing("belfry@", with: "\(name)@")
    }

    @Test func `a store in a schema that the role may not look into is not called missing`() throws {
        let address = try stranger("stranger")
        let schema = try #require(store.split(separator: "%3D").last)
        for readOnly in [false, true] {
            let error = try refusal(address, readOnly: readOnly)
            #expect(error?.code == .permission)
            #expect(
                error?.message.hasSuffix(
                    """
                      why: it is in schema '\(schema)', and role 'stranger' may not look into that
                      fix: as its owner, GRANT USAGE ON SCHEMA to that role, and for reading GRANT SELECT ON ALL TABLES IN SCHEMA; \
                    or use another role
                    """) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `what is granted is enough to read`() throws {
        let address = try stranger("reader")
        _ = try server.query(
            """
            DO $$ BEGIN
                EXECUTE 'GRANT USAGE ON SCHEMA ' || current_schema() || ' TO reader';
                EXECUTE 'GRANT SELECT ON ALL TABLES IN SCHEMA ' || current_schema() || ' TO reader';
            END $$
            """, in: store)
        let store = try PostgresStore(at: #require(PostgresAddress(address)), readOnly: true)
        #expect(try store.count() == 0)
        store.close()
    }

    @Test func `a server that takes no changes is said to be there`() throws {
        let readOnly = store + "%20-cdefault_transaction_read_only%3Don"
        let error = try refusal(readOnly, readOnly: false)
        #expect(error?.code == .readOnly)
        let message = error?.message ?? ""
        #expect(message.contains("\n  why: PostgreSQL answers, and takes no changes: "), "\(message)")
        #expect(
            message.hasSuffix(
                """
                session is read-only
                  fix: name the primary, since a hot standby only follows it; if it is one, see to it that \
                'default_transaction_read_only' is off
                """), "\(message)")
        try PostgresStore(at: #require(PostgresAddress(readOnly)), readOnly: true).close()
    }

    @Test func `what PostgreSQL alone can tell is not looked for on a disk`() throws {
        let open = try PostgresStore(at: #require(PostgresAddress(store)))
        defer { open.close() }
        _ = try server.query("ALTER TABLE belfry_meta RENAME COLUMN value TO worth", in: store)
        let error = #expect(throws: StoreError.self) { try open.commit(StoreBatch(meta: ["a": [1]])) }
        #expect(error?.code == .failed)
        let message = error?.message ?? ""
        #expect(message.contains("\n  why: PostgreSQL reports: "), "\(message)")
        #expect(
            message.hasSuffix(
                """

                  fix: change what it names, a setting of the role or a table, and try again; everything committed before is kept, and its \
                log says more
                """), "\(message)")
    }

    @Test func `one that takes none any more is said to be there, too`() throws {
        let open = try PostgresStore(at: #require(PostgresAddress(store)))
        defer { open.close() }
        let error = #expect(throws: PostgresError.self) {
            try open.database().write(.records) { session throws(PostgresError) in
                try session.run("SET LOCAL transaction_read_only = on")
                try session.run("DELETE FROM belfry_meta")
            }
        }
        #expect(error?.code == .readOnly)
    }
}
