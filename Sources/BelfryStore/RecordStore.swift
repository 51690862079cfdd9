import BelfryModel

/// Keeps one opaque record per subject, plus a few named values about the store as a whole.
///
/// It is behind a journal, which is durable first (BelfryJournal): records are written here by and by.
///
/// A record is read and written as a whole; what is in it is the engine's business. What must be true together, such as a
/// record and its timer, goes into one `commit`.
///
/// For implementers: `RecordStoreContract` in BelfryTesting checks all of this. Any thread may call, also several at
/// once, except that `close` comes when nothing else is under way.
///
/// - Subjects are told apart by their UTF-8 bytes, and ordered by them. Swift's `==` is too lenient: it takes an "é"
///   of one scalar and an "é" of two for the same text. Any text is a subject, also `""` and one with U+0000.
/// - A read sees every commit that returned before it, and nothing of one that failed.
/// - After `close` everything throws `StoreError.Code.closed`.
public protocol RecordStore: AnyObject, Sendable {
    /// What was last committed for the subject; nil if there is nothing or it was deleted. May be empty.
    func record(for subject: String) throws(StoreError) -> [UInt8]?

    /// The entry that the change said which the record came by; 0 if there is no record.
    func entry(of subject: String) throws(StoreError) -> UInt64

    /// The same as `entry` for several subjects, in their order.
    func entries(of subjects: [String]) throws(StoreError) -> [UInt64]

    /// The records of several subjects, in their order, with their places: for a store that takes long to begin to read.
    func records(for subjects: [String]) throws(StoreError) -> [StoredRecord?]

    /// The subjects that have a record, in byte order: the first `limit` of them that come after `after`.
    ///
    /// Nil starts at the first; `after` need not exist. Fewer than `limit` means that there are no more. A limit
    /// of zero or less gives an empty page.
    func subjects(after: String?, limit: Int) throws(StoreError) -> [String]

    /// Up to `limit` subjects that have a record, those first whose last change said the greatest entry.
    func subjects(changedLast limit: Int) throws(StoreError) -> [String]

    /// The earliest due timer of each subject that has one, by due time, then by subject.
    func timers() throws(StoreError) -> [(subject: String, due: Instant)]

    /// A value about the store as a whole; nil if it was never committed.
    func meta(_ key: String) throws(StoreError) -> [UInt8]?

    /// Makes all of the batch true, or, if it throws, none of it.
    ///
    /// When it returns, the batch is as durable as the store can make it: for one on disk, it survives a power loss, unless the batch
    /// does not wait for that.
    func commit(_ batch: StoreBatch) throws(StoreError)

    /// Lets go of everything. A second call does nothing.
    func close()

    // What follows is for looking after a store; a run needs none of it.

    /// How many records there are, also those that cannot be read.
    func count() throws(StoreError) -> Int

    /// Shows every record as it lies in the store, in whatever state, in an order of the store's own.
    ///
    /// One that cannot be read from the store is shown with the reason. Changes meanwhile may be seen or not.
    func forEachRow(_ body: (StoreRow) -> Void) throws(StoreError)

    /// What is wrong with the store as a whole, a sentence each; empty if nothing is.
    func faults() throws(StoreError) -> [String]

    /// Moves records to a place of their own, out of the way of everything else, with the reason for each; all or none.
    ///
    /// The rows are those of `forEachRow`, with nothing committed in between. Their subjects have no record afterwards.
    func quarantine(_ rows: [(row: StoreRow.ID, reason: String)]) throws(StoreError)

    /// How many records are in quarantine.
    func quarantinedCount() throws(StoreError) -> Int

    /// The records of a subject that are in quarantine, the first one first.
    func quarantined(of subject: String) throws(StoreError) -> [QuarantinedRecord]

    /// Removes everything that there is of a subject: the record, and those in quarantine. No error if there is nothing.
    ///
    /// What stays is a digest of the subject with the number of its last decision, so that no id is given twice. A smaller number than
    /// the one that stays already changes nothing.
    func erase(_ subject: String, lastDecision: UInt64) throws(StoreError)

    /// Refuses where what an erasure removes would stay: to be asked before anything of a subject is removed.
    func checkThatItErases() throws(StoreError)

    /// Says, while bytes that were erased are still in files of the store, why that is and when it ends; nil if they are gone.
    ///
    /// Another program may read the store as it was before. Commits that wait, and whatever opens the store for writing, try to remove them.
    var unfinishedErasure: String? { get }

    /// How many subjects were erased whose number of the last decision is kept.
    func erasedCount() throws(StoreError) -> Int

    /// The number of the last decision of a subject that has no record any more: that which it had when it was erased; and for each of its
    /// records in quarantine 2^40 more (`QuarantinedRecord.decisions`), since a damaged record does not say its own. 0 if there is neither.
    func lastDecision(ofForgotten subject: String) throws(StoreError) -> UInt64

    /// What `lastDecision(ofForgotten:)` knows of all subjects, by digest, whether or not they have a record again.
    func forgotten() throws(StoreError) -> [ForgottenSubject]

    /// Takes over what another store has kept of subjects. A number that is smaller than the one here changes nothing.
    func note(_ forgotten: [ForgottenSubject]) throws(StoreError)
}

extension RecordStore {
    public func checkThatItErases() throws(StoreError) {}

    public var unfinishedErasure: String? { nil }

    /// Looks at all of them, one by one.
    public func subjects(changedLast limit: Int) throws(StoreError) -> [String] {
        var entries: [(subject: String, entry: UInt64)] = []
        for subject in try subjects(after: nil, limit: .max) { entries.append((subject, try entry(of: subject))) }
        return entries.sorted { ($1.entry, SubjectKey($0.subject)) < ($0.entry, SubjectKey($1.subject)) }
            .prefix(max(0, limit)).map(\.subject)
    }

    public func entries(of subjects: [String]) throws(StoreError) -> [UInt64] {
        var entries: [UInt64] = []
        for subject in subjects { entries.append(try entry(of: subject)) }
        return entries
    }

    public func records(for subjects: [String]) throws(StoreError) -> [StoredRecord?] {
        var records: [StoredRecord?] = []
        for subject in subjects { records.append(try record(for: subject).map { StoredRecord($0) }) }
        return records
    }
}

/// A record as it lies in a store.
public struct StoreRow: Sendable, Hashable, Identifiable {
    /// Where it lies; means something to its store only.
    public var id: Int64
    /// Bytes that are no UTF-8 are U+FFFD.
    public var subject: String
    /// Empty if they cannot be read.
    public var bytes: [UInt8]
    /// Nil also for what is no time.
    public var nextDue: Instant?
    /// Why the record cannot be found by its subject, or its bytes not be read, a part of a sentence; nil if all is well.
    public var fault: String?

    public init(id: Int64, subject: String = "", bytes: [UInt8] = [], nextDue: Instant? = nil, fault: String? = nil) {
        self.id = id
        self.subject = subject
        self.bytes = bytes
        self.nextDue = nextDue
        self.fault = fault
    }
}

/// A record that was moved to quarantine.
public struct QuarantinedRecord: Sendable, Hashable {
    /// More than the subject of one record has had.
    public static let decisions: UInt64 = 1 << 40

    public var bytes: [UInt8]
    public var reason: String

    public init(bytes: [UInt8], reason: String) {
        self.bytes = bytes
        self.reason = reason
    }
}

/// Changes that become true together.
public struct StoreBatch: Sendable, Hashable {
    /// Applied in order: of two changes to one subject the later one holds.
    public var records: [RecordChange]
    /// Values to set, by key; keys that are not named keep what they have.
    public var meta: [String: [UInt8]]
    /// Whether a commit waits until it is on the disk. One that does not comes there later, with all before it: at the latest with the next
    /// one that waits.
    public var waits: Bool

    public init(records: [RecordChange] = [], meta: [String: [UInt8]] = [:], waits: Bool = true) {
        self.records = records
        self.meta = meta
        self.waits = waits
    }
}

/// What becomes of one subject's record.
public struct RecordChange: Sendable, Hashable {
    public var subject: String
    /// The whole new record; nil deletes it, which is no error when there is none.
    public var bytes: [UInt8]?
    /// When the subject's earliest timer is due; nil if it has none. Without meaning for a deletion.
    public var nextDue: Instant?
    /// The last entry of a journal that the record has come to.
    public var entry: UInt64

    public init(subject: String, bytes: [UInt8]?, nextDue: Instant? = nil, entry: UInt64 = 0) {
        self.subject = subject
        self.bytes = bytes
        self.nextDue = nextDue
        self.entry = entry
    }
}
