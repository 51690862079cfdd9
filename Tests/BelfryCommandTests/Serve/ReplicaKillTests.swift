import Foundation
import PostgresServer
import Testing

/// Replicas over one database, killed over and over like the database itself, while clients post and readers read (`make replicas`).
@Suite struct ReplicaKillTests {
    private let kills = Load.number("BELFRY_REPLICA_KILLS") ?? 4
    private let databaseKills = Load.number("BELFRY_DATABASE_KILLS") ?? 1
    private let clients = Load.number("BELFRY_CLIENTS") ?? 8

    @Test func `kills of replicas and of the database lose no signal, and repeat none`() throws {
        // Not the shared one: other tests go on with that.
        let server = try PostgresServer()
        let store = try server.store()
        let scene = try KillScene(store: store, replicas: 3)
        var replicas = try (0..<3).map { try scene.start($0) }
        try scene.run(clients: clients, "\(kills) kills of replicas, \(databaseKills) of the database") {
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
        }
        try checkTerms(server, store)
        for replica in replicas { #expect(replica.stop() == 0) }
    }

    /// Half of the time the one that decides, else any.
    private func decider(_ server: PostgresServer, _ store: String, _ scene: KillScene) throws -> Int? {
        guard Bool.random() else { return nil }
        let address = try server.query("SELECT address FROM belfry_lease", in: store).first ?? ""
        return scene.ports.firstIndex { address.hasSuffix(":\($0)") }
    }

    /// A later term is written later: at no time two replicas had a subject.
    private func checkTerms(_ server: PostgresServer, _ store: String) throws {
        let terms = try server.query(
            "SELECT term FROM belfry_pieces JOIN belfry_segments ON id = segment ORDER BY name, place", in: store
        ).compactMap { Int($0) }
        #expect(terms == terms.sorted())
        #expect(Set(terms).count > databaseKills, "several of them have decided")
    }
}
