import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryCore
@testable import BelfryPluginHost
@testable import BelfryRuntime
@testable import BelfrySignals

/// Runs over a store that fails once, and the next ones over the same store when it is well again.
@Suite struct FaultyStoreTests {
    /// A file of signals, a file of decisions and a store, over which runs come and go.
    private final class Site {
        private let folder = FileManager.default.temporaryDirectory.appending(
            path: "belfry-faulty-\(UUID().uuidString)")
        let store = MemoryStore()
        let journal: Journal
        private(set) var hasStruck = false

        init() throws {
            try store.commit(StoreBatch(meta: ["store": Array("test".utf8)]))
            journal = try Journal(.memory, store: "test", checkpoint: 0)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(RunnerTests.signals.prefix(200).joined(separator: "\n").utf8).write(
                to: folder.appending(path: "in"))
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func run(_ fault: FaultyStore.Fault? = nil, at number: Int = 0, _ shape: Shape = Shape()) throws {
            let faulty = FaultyStore(store, fault, at: number)
            defer { hasStruck = faulty.hasStruck }
            let input = open(folder.appending(path: "in").path, O_RDONLY)
            let output = open(folder.appending(path: "out").path, O_RDWR | O_CREAT | O_APPEND, 0o600)
            let nowhere = open("/dev/null", O_WRONLY)
            defer { [input, output, nowhere].forEach { close($0) } }
            let services = HostServices(version: belfryVersion, zones: .system()) { _ in }
            var options = Runner.Options()
            // Timers enough to fill a batch.
            (options.batchSize, options.cacheCapacity, options.batchTime) = (shape.batchSize, shape.cache, .hours(1))
            options.journal.checkpoint = .zero
            (options.shards, options.until) = (shape.shards, Instant(rfc3339: "2026-04-01T00:00:00Z"))
            let runner = try Runner(
                .withoutPlugins(Catalog(RunnerTests.configuration, providers: Providers(), services: services)),
                store: OpenStore(faulty, journal: journal, forRun: true), options: options,
                decisions: ByteOutput(output, name: "out", isContinued: true),
                rejects: ByteOutput(nowhere, name: "rejects"), warn: { _ in })
            _ = try runner.run(SignalInput(input, file: "in"))
        }

        var decisions: [Substring] {
            get throws { try String(contentsOf: folder.appending(path: "out"), encoding: .utf8).split(separator: "\n") }
        }

        var records: [String: [UInt8]?] {
            get throws {
                let subjects = try store.subjects(after: nil, limit: 1000)
                return Dictionary(uniqueKeysWithValues: try subjects.map { ($0, try store.record(for: $0)) })
            }
        }
    }

    /// How a run goes about its work.
    struct Shape {
        var batchSize = 5
        var shards = 1
        /// With few, subjects have to be read again, and a batch waits until the one before is durable; with many, batches leave on their
        /// own, and are marked seldom.
        var cache = 3
    }

    @Test(arguments: [FaultyStore.Fault.lostCommit, .lostAnswer])
    func `the run after a fault in a flood goes on as if there had been none`(fault: FaultyStore.Fault) throws {
        try expectNoTrace(of: fault, Shape(batchSize: 3, cache: 1000))
    }

    @Test(arguments: FaultyStore.Fault.allCases.filter { $0 != .tornCommit }, [Shape(), Shape(shards: 2)])
    func `the run after a fault goes on as if there had been none`(fault: FaultyStore.Fault, shape: Shape) throws {
        try expectNoTrace(of: fault, shape)
    }

    private func expectNoTrace(of fault: FaultyStore.Fault, _ shape: Shape) throws {
        let undisturbed = try Site()
        try undisturbed.run()
        try #require(undisturbed.decisions.count > 50)
        // There are far more reads than commits.
        for number in stride(from: 1, through: .max, by: fault.isOfCommits ? 1 : 13) {
            let site = try Site()
            do {
                try site.run(fault, at: number, shape)
            } catch is StoreError {
            } catch is RecordFailure {
            }
            guard site.hasStruck else {
                #expect(number > 10, "only \(number - 1) calls")
                break
            }
            #expect(try undisturbed.decisions.starts(with: site.decisions), "at \(number)")
            if try site.decisions != undisturbed.decisions || site.records != undisturbed.records {
                try site.run(nil, shape)
            }
            #expect(try site.decisions == undisturbed.decisions, "at \(number)")
            #expect(try site.records == undisturbed.records, "at \(number)")
        }
    }

    /// What is broken is never taken for something else: no decision comes of it.
    @Test func `a torn record ends the run at the subject it belongs to`() throws {
        let undisturbed = try Site()
        try undisturbed.run()
        for number in stride(from: 1, to: 11, by: 3) {
            let site = try Site()
            // Whether the run under way reads one of them again is a matter of time, and so is how many commits there are.
            do { try site.run(.tornCommit, at: number) } catch is RecordFailure {}
            do {
                try site.run()
                #expect(number > 1, "none of the records was whole")
            } catch is RecordFailure {}
            #expect(try undisturbed.decisions.starts(with: site.decisions), "commit \(number)")
        }
    }

    @Test func `what a store does not have yet is read from its journal, until it has come to its end`() throws {
        let site = try Site()
        #expect(throws: StoreError.self) { try site.run(.lostCommit, at: 1, Shape(batchSize: 200, cache: 1000)) }
        let store = site.store
        let behind = try JournaledStore(store, site.journal, after: JournalTail.checkpoint(of: store))
        let subjects = try behind.subjects(after: nil, limit: 1000)
        func timers(of store: any RecordStore) throws -> [String] {
            try store.timers().filter { $0.subject != subjects[0] }.map { "\($0.subject) \($0.due)" }
        }
        func bytes(of store: any RecordStore) throws -> [[UInt8]?] {
            try store.records(for: subjects).map { $0?.bytes }
        }
        let (records, due) = (try bytes(of: behind), try timers(of: behind))
        try #require(records.count > 20 && due.count > 5)
        #expect(try behind.catchUp(unless: { true }) == nil && store.count() == 0)

        // What is newer stays.
        try behind.commit(StoreBatch(records: [RecordChange(subject: subjects[0], bytes: [1, 2])]))
        #expect(try behind.record(for: subjects[0]) == [1, 2])
        #expect(try behind.catchUp() == site.journal.last)
        #expect(try bytes(of: store) == [[1, 2]] + records.dropFirst())
        #expect(try timers(of: store) == due && bytes(of: behind) == bytes(of: store))
        #expect(try JournalTail.checkpoint(of: store) == site.journal.last)
    }
}
