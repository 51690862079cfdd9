import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryDelivery
@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

/// A run that gets another configuration on its way.
@Suite struct ForwardReloadTests {
    private static func configuration(_ forward: Configuration.Forward?) -> Configuration {
        var configuration = Configuration(app: "shop")
        configuration.forward = forward
        return configuration
    }

    private static func catalog(_ configuration: Configuration) throws -> Catalog {
        try Catalog(
            configuration, providers: Providers(),
            services: HostServices(version: belfryVersion, zones: .system()) { _ in })
    }

    /// - Returns: the names of the events that were forwarded, and what people were told.
    private static func run(
        from before: Configuration.Forward?, to after: Configuration.Forward?, _ store: OpenStore? = nil
    ) throws -> (names: [String], warnings: [String]) {
        let (input, nowhere) = (Pipe(), FileHandle.nullDevice.fileDescriptor)
        for name in ["one", "two"] {
            let line = #"{"type":"\#(name)","subject":"ana","time":"2026-03-02T09:00:00Z"}"# + "\n"
            try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        }
        try input.fileHandleForWriting.close()
        let store = try store ?? OpenStore(inMemory: MemoryStore())
        let endpoint = ScriptedEndpoint([], clock: Clock())
        let forwarder = try before.map { try Forwarder($0, journal: store.journal, endpoint: endpoint) { _ in } }
        let warnings = Mutex<[String]>([])
        var options = Runner.Options()
        options.batchSize = 1
        let runner = try Runner(
            .withoutPlugins(catalog(configuration(before))), store: store, options: options,
            decisions: ByteOutput(nowhere, name: "out"), rejects: ByteOutput(nowhere, name: "rejects"),
            events: [Reload(try catalog(configuration(after)))], outlets: [forwarder].compactMap { $0 },
            warn: { text in warnings.withLock { $0.append(text) } })
        _ = try runner.run(SignalInput(input.fileHandleForReading.fileDescriptor))
        _ = forwarder?.finish()
        return (endpoint.posts.flatMap(\.names), warnings.withLock { $0 })
    }

    private static let warning = """
        'forward' has changed, and stays for this run as it was at its start
          fix: stop this run and start it again
        """

    @Test func `what is forwarded stays as it was when the run began, and that is said`() throws {
        let forward = Configuration.Forward(url: "http://shop.example")
        #expect(try Self.run(from: forward, to: nil) == (["one", "two"], [Self.warning]))
        #expect(try Self.run(from: nil, to: forward) == ([], [Self.warning]))
        var other = forward
        other.url = "http://crm.example"
        #expect(try Self.run(from: forward, to: other) == (["one", "two"], [Self.warning]))
    }

    @Test func `what waits for a forward that is not configured any more does not keep the journal for ever`() throws {
        let journal = try Journal(.memory, store: "test", checkpoint: 0, segmentSize: 1)
        let store = try OpenStore(MemoryStore(), journal: journal)
        // Long ago: for longer than anything is kept.
        _ = try Errand(journal: journal, left: 2)
        let last = journal.last
        try journal.append(JournalEntry(writtenAt: .distantPast))
        #expect(try Self.run(from: nil, to: nil, store) == ([], []))
        #expect(journal.oldest > last)
    }

    @Test func `nothing is said of a configuration that forwards the same`() throws {
        let forward = Configuration.Forward(url: "http://shop.example")
        #expect(try Self.run(from: forward, to: forward) == (["one", "two"], []))
        #expect(try Self.run(from: nil, to: nil) == ([], []))
    }
}
