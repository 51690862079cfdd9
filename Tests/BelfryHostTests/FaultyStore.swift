import BelfryModel
import BelfryStore
import Synchronization

/// A store in memory with one fault. Everything but the fault is as it should be, before and after it.
final class FaultyStore: RecordStore {
    enum Fault: CaseIterable {
        /// A commit fails and leaves nothing.
        case lostCommit
        /// A commit is made, and said to have failed.
        case lostAnswer
        /// A commit, and each one after it, writes but half of each record. (What one alone tears, the next may mend.)
        case tornCommit
        /// A read of a record fails.
        case lostRead
        /// A read of a record gives but half of it.
        case shortRead

        var isOfCommits: Bool { [.lostCommit, .lostAnswer, .tornCommit].contains(self) }
    }

    private let store: MemoryStore
    private let fault: Fault?
    private let number: Int
    private let counts = Mutex((commits: 0, reads: 0))

    /// - Parameter number: which commit, or which read of a record, from 1.
    init(_ store: MemoryStore, _ fault: Fault?, at number: Int) {
        (self.store, self.fault, self.number) = (store, fault, number)
    }

    /// Whether there were enough calls for the fault.
    var hasStruck: Bool { counts.withLock { (fault?.isOfCommits == true ? $0.commits : $0.reads) >= number } }

    private func strikes(_ fault: Fault, _ count: Int) -> Bool { self.fault == fault && count == number }

    private static let failure = StoreError(code: .failed, path: "faulty", message: "the store failed")

    func record(for subject: String) throws(StoreError) -> [UInt8]? {
        let bytes = try store.record(for: subject)
        // A read that finds nothing has nothing to lose.
        guard let bytes else { return nil }
        let count = counts.withLock {
            $0.reads += 1; return $0.reads
        }
        if strikes(.lostRead, count) { throw Self.failure }
        return strikes(.shortRead, count) ? Array(bytes.prefix(bytes.count / 2)) : bytes
    }

    func entry(of subject: String) throws(StoreError) -> UInt64 { try store.entry(of: subject) }

    func commit(_ batch: StoreBatch) throws(StoreError) {
        let count = counts.withLock {
            $0.commits += 1; return $0.commits
        }
        if strikes(.lostCommit, count) { throw Self.failure }
        var batch = batch
        if fault == .tornCommit, count >= number {
            for index in batch.records.indices {
                batch.records[index].bytes = batch.records[index].bytes.map { Array($0.prefix($0.count / 2)) }
            }
        }
        try store.commit(batch)
        if strikes(.lostAnswer, count) { throw Self.failure }
    }

    /// The next process opens it again.
    func close() {}

    func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        try store.subjects(after: after, limit: limit)
    }
    func timers() throws(StoreError) -> [(subject: String, due: Instant)] { try store.timers() }
    func meta(_ key: String) throws(StoreError) -> [UInt8]? { try store.meta(key) }
    func count() throws(StoreError) -> Int { try store.count() }
    func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) { try store.forEachRow(body) }
    func faults() throws(StoreError) -> [String] { try store.faults() }
    func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) { try store.quarantine(rows) }
    func quarantinedCount() throws(StoreError) -> Int { try store.quarantinedCount() }
    func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord] {
        try store.quarantined(of: subject)
    }
    func erase(_ subject: String, lastDecision: UInt64) throws(StoreError) {
        try store.erase(subject, lastDecision: lastDecision)
    }
    func erasedCount() throws(StoreError) -> Int { try store.erasedCount() }
    func lastDecision(ofForgotten subject: String) throws(StoreError) -> UInt64 {
        try store.lastDecision(ofForgotten: subject)
    }
    func forgotten() throws(StoreError) -> [ForgottenSubject] { try store.forgotten() }
    func note(_ forgotten: [ForgottenSubject]) throws(StoreError) { try store.note(forgotten) }
}
