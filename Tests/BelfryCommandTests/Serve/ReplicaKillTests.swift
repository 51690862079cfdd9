import Foundation
import PostgresServer
import Testing

/// Replicas over one database, killed over and over like the database itself, while clients post and readers read (`make replicas`).
@Suite struct ReplicaKillTests {
    private let kills = Load.number("BELFRY_REPLICA_KILLS") ?? 4
    private let databaseKills = Load.number("BELFRY_DATABASE_KILLS") ?? 1
    private let clients = Load.number("BELFRY_CLIENTS") ?? 8

    @Test func `kills of replicas and of the database lose no signal, and repeat none`() throws {
        // Its own: others would not like that it is killed.
        let server = try PostgresServer()
        let store = try server.store()
        let scene = try KillScene(ReplicaTests.configuration(store), replicas: 3)
        var replicas = try (0..<3).map { try scene.start($0) }
        let first = try scene.begin()
        let (posting, reading) = (Crew(), Crew())
        for client in 0..<clients { posting.hire { scene.post(as: client) } }
        reading.hire { scene.readPages(after: first) }
        reading.hire { scene.readStream(after: first) }
        for kill in 0..<(kills + databaseKills) {
            usleep(UInt32.random(in: 200_000...1_000_000))
            if kill % (kills / databaseKills + 1) == kills / databaseKills {
                try server.kill()
                usleep(UInt32.random(in: 0...500_000))
                try server.start()
            } else {
                let victim = try decider(server, store, scene) ?? Int.random(in: 0..<3)
                replicas[victim].kill()
                replicas[victim] = try scene.start(victim)
            }
        }
        scene.isOver.store(true, ordering: .relaxed)
        posting.wait()
        let journal = try scene.place.decisions(after: first)
        scene.total.store(journal.count, ordering: .relaxed)
        reading.wait()
        scene.check(journal, clients: clients, "\(kills) kills of replicas, \(databaseKills) of the database")
        try checkTerms(server, store)
        for replica in replicas { #expect(replica.stop() == 0) }
    }

    /// Half of the time the one that decides, else any.
    private func decider(_ server: PostgresServer, _ store: String, _ scene: KillScene) throws -> Int? {
        guard Bool.random() else { return nil }
        let address = try server.query("SELECT address FROM belfry_lease", in: store).first ?? ""
        return scene.ports.firstIndex { address.hasSuffix(":\($0)") }
    }

    /// Whoever had the lease later wrote later: at no time two replicas had a subject.
    private func checkTerms(_ server: PostgresServer, _ store: String) throws {
        let terms = try server.query(
            "SELECT term FROM belfry_pieces JOIN belfry_segments ON id = segment ORDER BY name, place", in: store
        ).compactMap { Int($0) }
        #expect(terms == terms.sorted())
        #expect(Set(terms).count > databaseKills, "several of them have decided")
    }
}
