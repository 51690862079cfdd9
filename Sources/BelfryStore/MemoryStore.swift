import BelfryModel
import Synchronization

/// A store that lives and dies with the process: for tests, dry runs and simulations.
public final class MemoryStore: RecordStore {
    private let content = Mutex<Content?>(Content())

    public init() {}

    public func record(for subject: String) throws(StoreError) -> [UInt8]? {
        try withContent(.reading) { $0.rows[SubjectKey(subject)]?.bytes }
    }

    public func entry(of subject: String) throws(StoreError) -> UInt64 {
        try withContent(.reading) { $0.rows[SubjectKey(subject)]?.entry ?? 0 }
    }

    public func subjects(after: String?, limit: Int) throws(StoreError) -> [String] {
        try withContent(.reading) { $0.page(after: after.map(SubjectKey.init), limit: max(0, limit)) }
    }

    public func timers() throws(StoreError) -> [(subject: String, due: Instant)] {
        let timers = try withContent(.reading) { content in
            content.rows.compactMap { key, row in row.nextDue.map { (key: key, due: $0) } }
        }
        return timers.sorted { ($0.due, $0.key) < ($1.due, $1.key) }.map { ($0.key.text, $0.due) }
    }

    public func meta(_ key: String) throws(StoreError) -> [UInt8]? {
        try withContent(.reading) { $0.meta[key] }
    }

    public func commit(_ batch: StoreBatch) throws(StoreError) {
        try withContent(.writing) { content in
            for change in batch.records { content.apply(change) }
            content.meta.merge(batch.meta) { $1 }
        }
    }

    public func close() {
        content.withLock { $0 = nil }
    }

    public func count() throws(StoreError) -> Int {
        try withContent(.reading) { $0.rows.count }
    }

    public func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError) {
        try withContent(.reading) { $0.storeRows }.forEach(body)
    }

    public func faults() throws(StoreError) -> [String] {
        try withContent(.reading) { _ in [] }
    }

    public func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError) {
        try withContent(.writing) { content in
            let reasons = Dictionary(rows.map { ($0.row, $0.reason) }, uniquingKeysWith: { $1 })
            for row in content.storeRows {
                if let reason = reasons[row.id] { content.quarantine(SubjectKey(row.subject), reason) }
            }
        }
    }

    public func quarantinedCount() throws(StoreError) -> Int {
        try withContent(.reading) { $0.quarantined.values.reduce(0) { $0 + $1.count } }
    }

    public func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord] {
        try withContent(.reading) { $0.quarantined[SubjectKey(subject)] ?? [] }
    }

    public func erase(_ subject: String, lastDecision: UInt64) throws(StoreError) {
        try withContent(.writing) { content in
            content.apply(RecordChange(subject: subject, bytes: nil))
            content.quarantined[SubjectKey(subject)] = nil
            content.note(ForgottenSubject(subject, lastDecision: lastDecision))
        }
    }

    public func erasedCount() throws(StoreError) -> Int { try withContent(.reading) { $0.erased.count } }

    public func lastDecision(ofForgotten subject: String) throws(StoreError) -> UInt64 {
        try withContent(.reading) { content in
            let erased = content.erased.isEmpty ? 0 : content.erased[SubjectDigest(subject).bytes] ?? 0
            let count = content.quarantined.isEmpty ? 0 : content.quarantined[SubjectKey(subject)]?.count ?? 0
            return erased + UInt64(count) * QuarantinedRecord.decisions
        }
    }

    public func forgotten() throws(StoreError) -> [ForgottenSubject] {
        try withContent(.reading) { content in
            [ForgottenSubject](
                erased: content.erased.map { ForgottenSubject(digest: $0, lastDecision: $1) },
                quarantined: content.quarantined.map { ($0.text, UInt64($1.count)) })
        }
    }

    public func note(_ forgotten: [ForgottenSubject]) throws(StoreError) {
        try withContent(.writing) { content in forgotten.forEach { content.note($0) } }
    }

    private func withContent<Result: Sendable>(
        _ attempt: StoreError.Attempt, _ body: (inout Content) -> Result
    ) throws(StoreError) -> Result {
        let result: Result? = content.withLock { content in
            guard content != nil else { return nil }
            return body(&content!)  // a copy bound by `if let` would duplicate the tables on every write
        }
        guard let result else { throw .closed("memory", attempt) }
        return result
    }
}

/// What the store holds while it is open.
private struct Content {
    var rows: [SubjectKey: Row] = [:]
    var meta: [String: [UInt8]] = [:]
    var quarantined: [SubjectKey: [QuarantinedRecord]] = [:]
    /// The last decisions of subjects that were erased, by digest.
    var erased: [[UInt8]: UInt64] = [:]
    /// The keys of `rows` in order; nil until a page is asked for again. Paging would else sort once a page.
    private var sortedKeys: [SubjectKey]?

    mutating func apply(_ change: RecordChange) {
        let key = SubjectKey(change.subject)
        let before = rows.count
        if let bytes = change.bytes {
            rows[key] = Row(bytes: bytes, nextDue: change.nextDue, entry: change.entry)
        } else {
            rows[key] = nil
        }
        if rows.count != before { sortedKeys = nil }
    }

    mutating func note(_ forgotten: ForgottenSubject) {
        erased[forgotten.digest, default: 0].raise(to: forgotten.lastDecision)
    }

    /// In the order of subjects, numbered in it.
    var storeRows: [StoreRow] {
        rows.sorted { $0.key < $1.key }.enumerated().map { index, row in
            StoreRow(
                id: Int64(index), subject: row.key.text, bytes: row.value.bytes, nextDue: row.value.nextDue)
        }
    }

    mutating func quarantine(_ key: SubjectKey, _ reason: String) {
        guard let row = rows[key] else { return }
        quarantined[key, default: []].append(QuarantinedRecord(bytes: row.bytes, reason: reason))
        apply(RecordChange(subject: key.text, bytes: nil))
    }

    mutating func page(after: SubjectKey?, limit: Int) -> [String] {
        let keys = sortedKeys ?? rows.keys.sorted()
        sortedKeys = keys
        let start = after.map { keys.firstIndex(after: $0) } ?? 0
        return keys[start...].prefix(limit).map(\.text)
    }
}

private struct Row {
    var bytes: [UInt8]
    var nextDue: Instant?
    var entry: UInt64
}

extension [SubjectKey] {
    /// Where the keys greater than `key` begin; the array is sorted.
    package func firstIndex(after key: SubjectKey) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > key { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension UInt64 {
    fileprivate mutating func raise(to other: UInt64) { self = Swift.max(self, other) }
}
