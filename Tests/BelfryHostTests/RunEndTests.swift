import BelfryEngine
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

@Suite struct RunEndTests {
    /// Runs over several batches.
    private static func run(
        _ store: MemoryStore, shards: Int = 1, _ events: EventInbox? = nil, _ outlets: [any Outlet] = []
    ) throws {
        let (input, nowhere) = (Pipe(), open("/dev/null", O_WRONLY))
        defer { close(nowhere) }
        input.fileHandleForWriting.write(Data(RunnerTests.signals.prefix(200).joined(separator: "\n").utf8))
        try input.fileHandleForWriting.close()
        let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
        var options = Runner.Options()
        (options.batchSize, options.shards) = (20, shards)
        let runner = try Runner(
            .withoutPlugins(Catalog(RunnerTests.configuration, providers: Providers(), services: services)),
            store: OpenStore(store), options: options, decisions: ByteOutput(nowhere, name: "out"),
            rejects: ByteOutput(nowhere, name: "rejects"), events: events.map { [$0] } ?? [], outlets: outlets,
            warn: { _ in })
        _ = try runner.run(SignalInput(input.fileHandleForReading.fileDescriptor))
    }

    /// - Returns: the store of a run, if it is still held.
    private static func storeOfARun(shards: Int) throws -> () -> MemoryStore? {
        let store = MemoryStore()
        try run(store, shards: shards)
        return { [weak store] in store }
    }

    @Test(arguments: [1, 2, 3])
    func `threads of a run end with it, and let go of what it had`(shards: Int) throws {
        let store = try Self.storeOfARun(shards: shards)
        let deadline = ContinuousClock.now + .seconds(30)
        while store() != nil, ContinuousClock.now < deadline { sched_yield() }
        #expect(store() == nil)
    }

    @Test func `who is to be erased is, also when the run is told to stop behind it`() throws {
        let (store, events) = (MemoryStore(), EventInbox())
        // One of the first batch.
        let subject = "p7"
        let erased = Mutex(false)
        events.post(.erase(SubjectErasure(subject) { result in erased.withLock { $0 = (try? result.get()) ?? false } }))
        events.post(.stop("the test"))
        try Self.run(store, events)
        #expect(try erased.withLock { $0 } && store.record(for: subject) == nil)
        #expect(try store.lastDecision(ofForgotten: subject) > 0)
    }

    /// Keeps what it was given, or not.
    private final class Memory: Outlet {
        let isFull: Bool
        let forgotten = Mutex<[String]>([])
        let entry = UInt64.max

        init(isFull: Bool) { self.isFull = isFull }

        func ring() {}

        func forget(_ subject: String) throws {
            if isFull { throw CocoaError(.fileWriteOutOfSpace) }
            forgotten.withLock { $0.append(subject) }
        }
    }

    @Test func `an outlet that cannot forget a subject is told of, keeps no other from it, and ends no run`() throws {
        let (store, events) = (MemoryStore(), EventInbox())
        let outlets = [Memory(isFull: true), Memory(isFull: false)]
        let failure = Mutex<(any Error)?>(nil)
        let erasure = SubjectErasure("p7") { result in
            failure.withLock { if case .failure(let error) = result { $0 = error } }
        }
        events.post(.erase(erasure))
        events.post(.stop("the test"))
        try Self.run(store, events, outlets)
        #expect(failure.withLock { $0 is PartialErasure })
        #expect(outlets[1].forgotten.withLock { $0 } == ["p7"])
        #expect(try store.record(for: "p7") == nil)
    }
}
