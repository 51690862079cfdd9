import BelfryEngine
import BelfryModel
import BelfryStore

/// Whether everything in a store can be read, found out by reading everything.
public struct Verification: Sendable {
    /// How many records there are.
    public private(set) var records = 0
    /// What is wrong with single records, by subject.
    public private(set) var findings: [Finding] = []
    /// What is wrong with the store as a whole.
    public private(set) var faults: [Fault] = []
    /// State that no entry would use. It is kept, and no fault.
    public private(set) var unclaimed: [Unclaimed] = []
    /// How many records were put into quarantine before.
    public private(set) var quarantined = 0

    public struct Finding: Sendable, Hashable {
        public var row: StoreRow.ID
        public var subject: String
        public var kind: Kind
        public var reason: String
    }

    public enum Kind: Sendable, Hashable {
        /// It cannot be read. Quarantine keeps it, and lets its subject start afresh.
        case damaged
        /// A later belfry wrote it. It is left alone.
        case newer
        /// The record is good, and the store has another due time for it; nil: the record has no timer.
        case mistimed(due: Instant?)
    }

    /// State of an entry that the chain has no place for.
    public struct Unclaimed: Sendable, Hashable {
        public var entry: String
        public var strategy: String
        /// How many subjects have such state.
        public var subjects: Int
        public var reason: String
    }

    public var good: Int { records - damaged.count - newer.count }
    public var damaged: [Finding] { findings.filter { $0.kind == .damaged } }
    public var newer: [Finding] { findings.filter { $0.kind == .newer } }
    public var mistimed: [Finding] { findings.filter { if case .mistimed = $0.kind { true } else { false } } }
    public var isGood: Bool { findings.isEmpty && faults.isEmpty }

    /// Reads the whole store.
    ///
    /// - Parameters:
    ///   - claims: what a configuration has use for; nil where there is none.
    ///   - progress: called after each record, with how many were read.
    public init(of store: any RecordStore, claims: StateClaims?, progress: (_ read: Int) -> Void = { _ in }) throws {
        faults = try Self.faults(of: store)
        quarantined = try store.quarantinedCount()
        try readRecords(of: store, claims, progress)
    }

    private mutating func readRecords(
        of store: any RecordStore, _ claims: StateClaims?, _ progress: (Int) -> Void
    ) throws {
        var orphans: [StateClaims.Orphan: Int] = [:]
        do {
            try store.forEachRow { row in
                records += 1
                take(row, claims, &orphans)
                progress(records)
            }
        } catch {
            // No `where`: Swift 6.3 cannot compile it with a typed error.
            guard error.code == .damaged else { throw error }
            faults.append(
                Fault(
                    reason: "records after the first \(records) are out of reach, since their table is damaged",
                    fix: Self.restoration(of: store)))
        }
        findings.sort { (SubjectKey($0.subject), $0.row) < (SubjectKey($1.subject), $1.row) }
        unclaimed = orphans.map(Unclaimed.init).sorted { ($0.entry, $0.strategy) < ($1.entry, $1.strategy) }
    }

    private mutating func take(_ row: StoreRow, _ claims: StateClaims?, _ orphans: inout [StateClaims.Orphan: Int]) {
        if let fault = row.fault { return add(row, .damaged, fault) }
        do throws(RecordDamage) {
            let record = try SubjectRecord(subject: row.subject, reading: row.bytes)
            if record.nextDue != row.nextDue { add(row, .mistimed(due: record.nextDue), row.mistiming(record.nextDue)) }
            for orphan in claims.map({ $0.orphans(in: record) }) ?? [] { orphans[orphan, default: 0] += 1 }
        } catch {
            add(row, error.isNewer ? .newer : .damaged, error.reason)
        }
    }

    private mutating func add(_ row: StoreRow, _ kind: Kind, _ reason: String) {
        findings.append(Finding(row: row.id, subject: row.subject, kind: kind, reason: reason))
    }
}

extension StoreRow {
    fileprivate func mistiming(_ due: Instant?) -> String {
        let (recorded, stored) = (due?.description ?? "never", nextDue?.description ?? "never")
        return "its next timer is due \(recorded) by the record, \(stored) by the store"
    }
}

extension Verification.Unclaimed {
    fileprivate init(_ orphan: StateClaims.Orphan, subjects: Int) {
        self.init(entry: orphan.entry, strategy: orphan.strategy, subjects: subjects, reason: orphan.reason)
    }
}

// MARK: Repair

extension Verification {
    /// Puts right what can be: puts damaged records into quarantine, in one transaction, and writes the due times of good ones.
    ///
    /// What a newer belfry wrote, and what is wrong with the store as a whole, stays as it is.
    public func repair(_ store: any RecordStore) throws {
        try store.quarantine(damaged.map { ($0.row, $0.reason) })
        try store.commit(StoreBatch(records: mistimed.compactMap { try $0.corrected(in: store) }))
    }

    /// Whether a repair leaves nothing to be done.
    public var isRepairable: Bool { newer.isEmpty && faults.isEmpty }
}

extension Verification.Finding {
    fileprivate func corrected(in store: any RecordStore) throws -> RecordChange? {
        guard case .mistimed(let due) = kind, let bytes = try store.record(for: subject) else { return nil }
        return RecordChange(subject: subject, bytes: bytes, nextDue: due, entry: try store.entry(of: subject))
    }
}
