import BelfryEngine
import BelfryModel
import BelfryPluginHost
import Testing

@testable import BelfryCore

/// Which records of a shard stay in memory.
@Suite struct CoreShardTests {
    private static func shard() throws -> CoreShard {
        let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
        let catalog = try Catalog(Configuration(app: "shop"), providers: Providers(), services: services)
        return CoreShard(Core(Workspace.Loaded(providers: Providers(), catalog: catalog)))
    }

    /// - Parameter record: nil: the shard is to have it.
    /// - Returns: whether the record is here.
    private func use(_ subject: String, _ record: UnsafeRawBufferPointer?, in shard: CoreShard) throws -> Bool {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let step = try shard.decide(
            subject: subject, record: record, signals: nothing, line: 1, passed: .distantPast, until: nil)
        return step != nil
    }

    @Test(arguments: [0, .max - 2] as [UInt32])
    func `those used longest ago leave, also where the count of calls begins anew`(calls: UInt32) throws {
        let shard = try Self.shard()
        shard.call = calls
        let new = UnsafeRawBufferPointer(start: nil, count: 0)
        for subject in ["ana", "ben", "cem", "dan"] { #expect(try use(subject, new, in: shard)) }
        shard.collect(keeping: 2) { _, _ in }
        #expect(shard.count == 2)
        let here = try ["ana", "ben", "cem", "dan"].filter { try use($0, nil, in: shard) }
        #expect(here == ["cem", "dan"])
    }

    @Test func `nothing is collected while something is`() throws {
        let shard = try Self.shard()
        #expect(try use("ana", UnsafeRawBufferPointer(start: nil, count: 0), in: shard))
        let signal = #"{"type":"custom","subject":"ana","time":"2026-03-02T09:00:00Z"}"#
        _ = try signal.withBytes {
            try shard.decide(subject: "ana", record: nil, signals: $0, line: 1, passed: .distantPast, until: nil)
        }
        var shown: [String] = []
        shard.collect(keeping: 9) { subject, _ in
            #expect(shard.isCollecting)
            shard.collect(keeping: 0) { subject, _ in shown.append("within: \(subject)") }
            shown.append(subject)
        }
        #expect(shown == ["ana"] && shard.count == 1 && !shard.isCollecting)
    }
}
