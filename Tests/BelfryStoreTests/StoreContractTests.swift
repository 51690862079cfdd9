import BelfryModel
import BelfryPostgres
import BelfryStore
import BelfryStoreTesting
import PostgresServer
import Testing

@Suite struct StoreContractTests {
    @Test(arguments: RecordStoreContract.clauses)
    func `the memory store keeps the contract`(clause: RecordStoreContract.Clause) throws {
        try RecordStoreContract(make: { MemoryStore() }).check(clause)
    }

    @Test(arguments: RecordStoreContract.clauses)
    func `the SQLite store keeps the contract`(clause: RecordStoreContract.Clause) throws {
        let folder = try TemporaryFolder()
        let files = FileNames()
        let contract = RecordStoreContract(
            make: { try SQLiteStore(path: folder.path(files.next())) },
            reopen: { _ in try SQLiteStore(path: folder.path(files.last)) })
        try contract.check(clause)
    }

    @Test(arguments: RecordStoreContract.clauses)
    func `the PostgreSQL store keeps the contract`(clause: RecordStoreContract.Clause) throws {
        let server = try PostgresServer.shared.get()
        let contract = RecordStoreContract(
            make: { try PostgresStore(at: PostgresAddress(server.store())!) },
            reopen: { try PostgresStore(at: ($0 as! PostgresStore).address) })
        try contract.check(clause)
    }

    @Test func `a violation names the clause, what was expected and what was found`() throws {
        let contract = RecordStoreContract(make: { ForgetfulStore() })
        let violation = #expect(throws: RecordStoreContract.Violation.self) { try contract.checkAll() }
        #expect(
            violation?.description == """
                the store does not keep its contract: a record that was committed is read back
                  ana's record should be Optional([1, 2]) but is nil
                """)
    }
}

/// Keeps nothing, and does not say so.
private final class ForgetfulStore: RecordStore {
    func record(for subject: String) -> [UInt8]? { nil }
    func subjects(after: String?, limit: Int) -> [String] { [] }
    func timers() -> [(subject: String, due: Instant)] { [] }
    func meta(_ key: String) -> [UInt8]? { nil }
    func entry(of subject: String) -> UInt64 { 0 }
    func commit(_ batch: StoreBatch) {}
    func close() {}
    func count() -> Int { 0 }
    func forEachRow(_ body: (StoreRow) -> Void) {}
    func faults() -> [String] { [] }
    func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) {}
    func quarantinedCount() -> Int { 0 }
    func quarantined(of subject: String) -> [QuarantinedRecord] { [] }
    func erase(_ subject: String, lastDecision: UInt64) {}
    func erasedCount() -> Int { 0 }
    func lastDecision(ofForgotten subject: String) -> UInt64 { 0 }
    func forgotten() -> [ForgottenSubject] { [] }
    func note(_ forgotten: [ForgottenSubject]) {}
}
