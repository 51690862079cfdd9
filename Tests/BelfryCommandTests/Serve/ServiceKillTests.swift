import Foundation
import Testing

/// A service that is killed over and over while clients post, and readers read (`make service-kills`).
///
/// Clients repeat what was not answered. Then each signal has to be decided once, each answer to be what the journal has, and each reader to
/// have had all of it, in order, once.
@Suite struct ServiceKillTests {
    private let kills = Load.number("BELFRY_SERVICE_KILLS") ?? 5
    private let clients = Load.number("BELFRY_CLIENTS") ?? 8

    @Test func `kills lose no signal, repeat none, and leave readers no gap`() throws {
        let scene = try KillScene(store: "sqlite:belfry.db")
        var service = try scene.start()
        try scene.run(clients: clients, "\(kills) kills") {
            for _ in 0..<kills {
                usleep(UInt32.random(in: 20_000...300_000))
                service.kill()
                service = try scene.start()
            }
        }
        #expect(service.stop() == 0)
    }
}
