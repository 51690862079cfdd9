import BelfryCore
import BelfryModel
import Testing

/// The core inside another process, as docs/embed-the-host.md has it.
@Suite struct EmbeddingTests {
    @Test func `a record that is kept as bytes goes on where it was`() throws {
        let folder = try Workplace()
        try folder.write(
            """
            app: shop
            store: memory
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            campaigns: [ { id: sale, message: Half price } ]
            """, to: "belfry.yaml")
        let core = try Core(
            configuration: folder.url.appending(path: "belfry.yaml").path,
            executable: Workplace.products.appending(path: "belfry").path)
        var stored: [UInt8]?
        let decisions = try ["09:00", "09:30", "10:00"].flatMap { time in
            let line =
                #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T\#(time):00Z","data":{"campaign":"sale"}}"#
            return try decide([line], of: "ana", core: core, stored: &stored)
        }
        #expect(decisions.map(\.body.kind) == [.created, .suppressed, .created])
        #expect(decisions.map(\.number) == [1, 2, 3])
    }
}
