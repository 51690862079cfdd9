import BelfryPostgres
import BelfryStore
import PostgresServer
import Testing

@Suite struct StoreLookoutTests {
    @Test func `a lookout says who has a store, until nobody does`() throws {
        let address = try #require(PostgresAddress(try PostgresServer.shared.get().store()))
        let holder = try PostgresStore(at: address)
        let lookout = try #require(try StoreLookout(.postgres(address)))
        #expect(#expect(throws: StoreError.self) { try lookout.check() }?.holder == "")
        let lease = try #require(try holder.database().lease)
        lease.publish(address: "10.0.0.2:8787")
        #expect(lease.renew())
        #expect(#expect(throws: StoreError.self) { try lookout.check() }?.holder == "10.0.0.2:8787")
        holder.close()
        try lookout.check()
        // As a kill does.
        var killed: PostgresDatabase? = try PostgresDatabase(writing: address, creates: false)
        #expect(throws: StoreError.self) { try lookout.check() }
        _ = killed
        killed = nil
        while (try? lookout.check()) == nil {}
    }

    @Test func `a file has none: it is opened, or is not`() throws {
        #expect(try StoreLookout(.sqlite(path: "belfry.db")) == nil)
    }
}
