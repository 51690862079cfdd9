import BelfryPostgres
import PostgresServer
import Testing

@Suite struct PostgresPatienceTests {
    private let address: PostgresAddress

    init() throws { address = PostgresAddress(try PostgresServer.shared.get().store())! }

    @Test func `a statement without an answer is given up, and its connection with it`() throws {
        let connection = try PostgresConnection(address)
        let unanswered = PostgresError(.unreachable, "it has not answered for 5 s")
        #expect(throws: unanswered) { try connection.run("SELECT pg_sleep(60)") }
        #expect(throws: unanswered) { try connection.run("SELECT 1") }
    }

    @Test func `one that may take long is waited for while the server takes connections`() throws {
        #expect(try PostgresConnection(address).run("SELECT pg_sleep(6)", mayTakeLong: true).count == 1)
    }

    @Test func `one that may take long is given up when the server stands still`() throws {
        // Not the shared one: other tests go on with that.
        let server = try PostgresServer()
        let connection = try PostgresConnection(PostgresAddress(try server.store())!)
        // Prepared before: that is answered at once, or never.
        try connection.run("SELECT 1")
        try server.pause()
        let error = #expect(throws: PostgresError.self) { try connection.run("SELECT 1", mayTakeLong: true) }
        #expect(error?.code == .unreachable)
        try server.resume()
    }

    @Test func `what fails leaves the connection as it is`() throws {
        let connection = try PostgresConnection(address)
        #expect(throws: PostgresError.self) { try connection.run("SELECT 1 / 0") }
        #expect(try connection.run("SELECT 1::bigint").number(0, 0) == 1)
    }
}
