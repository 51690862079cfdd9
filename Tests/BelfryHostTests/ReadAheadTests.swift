import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

/// Several lanes decode lines before their turn; that must not show.
@Suite struct ReadAheadTests {
    private static func catalog(_ triggers: [Configuration.Trigger]) throws -> Catalog {
        var (configuration, offer) = (Configuration(app: "shop"), Configuration.Campaign(id: "offer"))
        offer.triggers = triggers
        configuration.campaigns = [offer]
        configuration.batch.signals = 4
        let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
        return try Catalog(configuration, providers: Providers(), services: services)
    }

    /// - Returns: the records of twelve people, each of whom opened the app; after four of them, that triggers a campaign.
    private static func records(shards: Int) throws -> [[UInt8]] {
        let (input, nowhere) = (Pipe(), open("/dev/null", O_WRONLY))
        defer { close(nowhere) }
        let people = (1...12).map { "p\($0)" }
        for person in people {
            let line =
                #"{"type":"app.foregrounded","subject":"\#(person)","time":"2026-03-02T09:00:00Z","data":{"from":"icon"}}"#
            try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
        }
        try input.fileHandleForWriting.close()
        let store = MemoryStore()
        var options = Runner.Options()
        (options.batchSize, options.batchTime, options.shards) = (4, .hours(1), shards)
        let runner = try Runner(
            .withoutPlugins(catalog([])), store: OpenStore(store), options: options,
            decisions: ByteOutput(nowhere, name: "out"), rejects: ByteOutput(nowhere, name: "rejects"),
            events: [Reload(try catalog([Configuration.Trigger(id: "open", on: .signal("app.foregrounded"))]))],
            warn: { _ in })
        _ = try runner.run(SignalInput(input.fileHandleForReading.fileDescriptor))
        return try people.map { try #require(try store.record(for: $0)) }
    }

    @Test func `a configuration that comes between two batches holds for lines that were read before`() throws {
        let alone = try Self.records(shards: 1)
        let told = alone.map { String(decoding: $0, as: UTF8.self).contains("icon") }
        #expect(told == Array(repeating: false, count: 4) + Array(repeating: true, count: 8))
        #expect(try Self.records(shards: 2) == alone)
    }
}
