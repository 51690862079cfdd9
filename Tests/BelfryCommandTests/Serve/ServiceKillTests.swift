import Foundation
import Testing

/// A service that is killed over and over while clients post, and readers read (`make service-kills`).
///
/// Clients repeat what was not answered. Then each signal has to be decided once, each answer to be what the journal has, and each reader to
/// have had all of it, in order, once.
@Suite struct ServiceKillTests {
    private static let configuration = """
        app: shop
        store: sqlite:belfry.db
        serve: { tokens: tokens.yaml }
        chain:
          - { strategy: cooldown, per: campaign, parameters: { period: 1h } }
        campaigns:
          - { id: hello, message: Hello, triggers: [ { on: request } ] }
        """

    private let kills = Load.number("BELFRY_SERVICE_KILLS") ?? 5
    private let clients = Load.number("BELFRY_CLIENTS") ?? 8

    @Test func `kills lose no signal, repeat none, and leave readers no gap`() throws {
        let scene = try KillScene(Self.configuration)
        var service = try scene.start()
        let first = try scene.begin()
        let (posting, reading) = (Crew(), Crew())
        for client in 0..<clients { posting.hire { scene.post(as: client) } }
        reading.hire { scene.readPages(after: first) }
        reading.hire { scene.readStream(after: first) }
        for _ in 0..<kills {
            usleep(UInt32.random(in: 20_000...300_000))
            service.kill()
            service = try scene.start()
        }
        scene.isOver.store(true, ordering: .relaxed)
        posting.wait()
        let journal = try scene.place.decisions(after: first)
        scene.total.store(journal.count, ordering: .relaxed)
        reading.wait()

        scene.check(journal, clients: clients, "\(kills) kills")
        #expect(service.stop() == 0)
    }
}
