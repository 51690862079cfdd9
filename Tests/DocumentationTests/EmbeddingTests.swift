import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import Testing

/// The core inside another process, as docs/embed-the-host.md has it.
@Suite struct EmbeddingTests {
    @Test func `a record that is kept as bytes goes on where it was`() throws {
        let core = try core(
            """
            app: shop
            store: memory
            chain: [ { strategy: cooldown, parameters: { period: 1h } } ]
            campaigns: [ { id: sale, message: Half price } ]
            """)
        var stored: [UInt8]?
        let decisions = try ["09:00", "09:30", "10:00"].flatMap { time in
            let line =
                #"{"type":"notification.requested","subject":"ana","time":"2026-03-02T\#(time):00Z","data":{"campaign":"sale"}}"#
            return try decide([line], of: "ana", core: core, stored: &stored)
        }
        #expect(decisions.map(\.body.kind) == [.created, .suppressed, .created])
        #expect(decisions.map(\.number) == [1, 2, 3])
    }
    @Test func `a timer is fired when its time has come`() throws {
        let core = try core(
            """
            app: shop
            regions: [ { id: store, kind: geofence, latitude: 52, longitude: 5, radius: 100 } ]
            campaigns: [ { id: stay, message: Still here?, triggers: [ { on: dwell, regions: all, dwell: 10m } ] } ]
            """)
        var record = SubjectRecord(subject: "ana")
        let line = #"{"type":"region.entered","subject":"ana","time":"2026-03-02T09:00:00Z","data":{"region":"store"}}"#
        let atOnce = try core.decide(Signal(json: line), on: &record)
        let next = record.nextDue
        let due = try #require(next)
        #expect(atOnce.isEmpty && due.description == "2026-03-02T09:10:00Z")
        let early = core.fire(&record, until: due - .milliseconds(1))
        let fired = core.fire(&record, until: due)
        #expect(early.isEmpty && fired.map(\.body.kind) == [.created])
        let left = record.nextDue
        #expect(left == nil)
    }

    private func core(_ configuration: String) throws -> Core {
        let folder = try Workplace()
        try folder.write(configuration, to: "belfry.yaml")
        return try Core(
            configuration: folder.url.appending(path: "belfry.yaml").path,
            executable: Workplace.products.appending(path: "belfry").path)
    }
}
