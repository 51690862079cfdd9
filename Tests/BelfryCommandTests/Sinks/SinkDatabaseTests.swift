import BelfryJournal
import BelfryPostgres
import PostgresServer
import Testing

@testable import BelfryDelivery

/// A sink whose journal is in a database.
@Suite struct SinkDatabaseTests {
    @Test func `what it could not read for now is kept for it`() throws {
        let address = PostgresAddress(try PostgresServer.shared.get().store())!
        let database = try PostgresDatabase(writing: address, creates: true)
        let bench = try SinkBench(.database(database))
        let worker = try bench.worker()
        let entry = worker.entry
        try bench.decide("ana:1")
        let reader = try database.reading.run("SELECT pg_backend_pid()::bigint")
        try PostgresConnection(address).run(
            "SELECT pg_terminate_backend($1::integer)", [.number(reader.number(0, 0))])
        worker.work()
        #expect(bench.tried.isEmpty && worker.status.state == .broken)
        #expect(worker.status.why?.contains("PostgreSQL cannot be reached") == true, "\(worker.status)")
        #expect(worker.entry == entry, "the journal is dropped up to there")
        _ = try worker.act(.resume)
        worker.work()
        #expect(worker.entry == entry, "without a connection, there is nothing else that it could go on with")
        // As after a restart.
        database.close()
        let next = try SinkBench(.database(try PostgresDatabase(writing: address, creates: false)))
        try next.worker().work()
        #expect(next.tried == ["ana:1"])
    }
}
