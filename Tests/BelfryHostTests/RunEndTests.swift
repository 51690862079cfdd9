import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

@Suite struct RunEndTests {
    /// - Returns: the store of a run over several batches, if anybody still holds it.
    private static func storeOfARun(shards: Int) throws -> () -> MemoryStore? {
        let (input, nowhere) = (Pipe(), open("/dev/null", O_WRONLY))
        defer { close(nowhere) }
        input.fileHandleForWriting.write(Data(RunnerTests.signals.prefix(200).joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let services = HostServices(version: belfryVersion, zones: .system()) { _, _ in }
        var options = Runner.Options()
        (options.batchSize, options.shards) = (20, shards)
        let store = MemoryStore()
        let runner = try Runner(
            .withoutPlugins(Catalog(RunnerTests.configuration, providers: Providers(), services: services)),
            store: OpenStore(store), options: options, decisions: ByteOutput(nowhere, name: "out"),
            rejects: ByteOutput(nowhere, name: "rejects"), warn: { _ in })
        _ = try runner.run(SignalInput(input.fileHandleForReading.fileDescriptor))
        return { [weak store] in store }
    }

    @Test(arguments: [1, 2, 3])
    func `threads of a run end with it, and let go of what it had`(shards: Int) throws {
        let store = try Self.storeOfARun(shards: shards)
        let deadline = ContinuousClock.now + .seconds(30)
        while store() != nil, ContinuousClock.now < deadline { sched_yield() }
        #expect(store() == nil)
    }
}
