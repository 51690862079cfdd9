import BelfryEngine
import BelfryJournal
import BelfryModel
import Foundation
import Synchronization
import Testing

@testable import BelfryDelivery

/// A sink over a real journal, with a target that answers as it is told, and time that is moved by hand.
final class SinkBench: Sendable {
    let journal: Journal
    let target = Target()
    let said = Mutex<[String]>([])
    let receipts = Mutex<[String]>([])
    private let time = Mutex(Duration.zero)

    /// Answers at once, or waits where `reply` says nothing.
    final class Target: SinkTarget {
        let address = "the target"
        let reply = Mutex<@Sendable (SinkItem) -> SinkOutcome?>({ _ in .taken })
        let attempts = Mutex<[String]>([])
        let waiting = Mutex<[@Sendable (SinkOutcome) -> Void]>([])
        /// So many syncs fail.
        let failingSyncs = Mutex(0)

        func deliver(_ item: SinkItem, done: @escaping @Sendable (SinkOutcome) -> Void) {
            attempts.withLock { $0.append(item.id) }
            if let outcome = reply.withLock({ $0(item) }) {
                done(outcome)
            } else {
                waiting.withLock { $0.append(done) }
            }
        }

        func sync() throws {
            try failingSyncs.withLock { count in
                guard count > 0 else { return }
                count -= 1
                throw TargetFailure(path: "copy", reason: "Input/output error", fix: "see to the disk")
            }
        }

        func close() {}
    }

    /// - Parameters:
    ///   - location: of the journal.
    ///   - segmentSize: of the journal, in bytes.
    init(_ location: JournalLocation = .memory, segmentSize: Int = 1 << 20) throws {
        journal = try Journal(location, store: "test", checkpoint: 0, segmentSize: segmentSize)
        try journal.append(JournalEntry(writtenAt: now))
    }

    /// A day of its own, and as long after its beginning as was moved.
    var now: Instant { Instant(milliseconds: 1_800_000_000_000) + time.withLock { $0 } }

    func worker(_ options: (inout Configuration.Sink) -> Void = { _ in }) throws -> SinkWorker {
        var sink = Configuration.Sink(id: "crm", target: .webhook(.init(url: "http://crm.example/")))
        sink.receipts = .all
        options(&sink)
        let surroundings = SinkSurroundings(
            clock: { [self] in time.withLock { $0 } }, now: { [self] in now },
            receive: { [self] line in receipts.withLock { $0.append(String(decoding: line, as: UTF8.self)) } },
            say: { [self] text in said.withLock { $0.append(text) } })
        return try SinkWorker(sink, SinkFilter(sink, DecisionProperties([])), to: target, journal, in: surroundings)
    }

    /// Makes decisions durable, one entry for all: `ana:1` is the first of ana.
    func decide(_ ids: String...) throws { try decide(ids) }

    func decide(_ ids: [String]) throws { try journal.append(entry(ids)) }

    private func entry(_ ids: [String]) -> JournalEntry {
        var entry = JournalEntry(decisions: ids.count, writtenAt: now)
        entry[.lines] = ids.flatMap { id in
            let subject = id.split(separator: ":")[0]
            return Array(
                (#"{"id":"\#(id)","type":"notification.created","subject":"\#(subject)","#
                    + #""data":{"notification":"sale/1","campaign":"sale"}}"# + "\n").utf8)
        }
        return entry
    }

    /// Writes decisions into an entry that does not become durable before the next one does: the disk refuses what is to be durable with it.
    ///
    /// - Parameter folder: of the journal, whose segments have an entry each.
    func decideInVain(_ ids: String..., in folder: URL) throws {
        // A segment begins with an entry that says what holds there.
        try whileRefused(at: journal.last + 3, in: folder) {
            #expect(throws: JournalError.self) { try journal.append([entry(ids), entry([])]) }
        }
        try #require(journal.last > journal.durable)
    }

    /// - Parameter number: of the entry that no segment can begin with meanwhile.
    func whileRefused(at number: UInt64, in folder: URL, _ body: () throws -> Void) throws {
        let name = String(number)
        let obstacle = folder.appending(path: String(repeating: "0", count: 20 - name.count) + name + ".segment")
        try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: obstacle) }
        try body()
    }

    func pass(_ duration: Duration) { time.withLock { $0 = $0 + duration } }

    func answer(_ reply: @escaping @Sendable (SinkItem) -> SinkOutcome?) { target.reply.withLock { $0 = reply } }

    /// What was tried since this was last asked for.
    var tried: [String] {
        target.attempts.withLock { attempts in
            defer { attempts = [] }
            return attempts
        }
    }
}

extension SinkWorker {
    /// Works as long as there is something to do now.
    func work() {
        for _ in 0..<50 { _ = step() }
    }
}

/// How one attempt ended, waited for.
final class Ending: Sendable {
    private let outcome = Mutex<SinkOutcome?>(nil)
    private let end = DispatchSemaphore(value: 0)

    func end(_ outcome: SinkOutcome) {
        self.outcome.withLock { $0 = outcome }
        end.signal()
    }

    /// Nil if it has not ended within half a minute.
    func wait() -> SinkOutcome? {
        _ = end.wait(timeout: .now() + 30)
        return outcome.withLock { $0 }
    }
}
