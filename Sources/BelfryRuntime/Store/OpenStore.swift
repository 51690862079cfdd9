import BelfryJournal
import BelfryModel
import BelfryStore

/// A store for a run: its records, and the journal that is ahead of them.
public struct OpenStore: Sendable {
    /// As the journal has them, also those that the store does not have yet.
    public let records: any RecordStore
    public let journal: Journal
    /// The same records, if a run is to bring the store up to the journal while it decides.
    let behind: JournaledStore?
    /// A journal that was damaged and put aside when the store was opened, and where it is now.
    public let damage: (error: JournalError, place: String)?
    /// When the store was opened for repair: the subjects whose records can be read, and do not have what the journal says.
    public let setBack: [String]
    /// Whether it outlives the process.
    public let isDurable: Bool
    /// Nil for a store that one process at a time can get at.
    private let keeper: LeaseKeeper?

    /// Opens a store for writing, and brings its records up to its journal, whatever ended the last run.
    ///
    /// - Parameters:
    ///   - creates: whether to make a store where there is none.
    ///   - repairs: whether to put a journal aside that is damaged, and to begin another one.
    ///   - forRun: whether a run brings them up while it decides.
    /// - Throws: `StoreError`, `JournalError`, `ShadowRefusal` or `RecordTransferFailure` while a promotion or an import is not finished, or why a
    ///   record cannot be read.
    public init(_ location: StoreLocation, creates: Bool = true, repairs: Bool = false, forRun: Bool = false) throws {
        try self.init(location, creates: creates, repairs: repairs, forRun: forRun, forPromotion: false)
    }

    /// - Parameter forPromotion: whether it may have some of the records of its shadow, and not all.
    init(
        _ location: StoreLocation, creates: Bool = true, repairs: Bool = false, forRun: Bool = false,
        forPromotion: Bool
    ) throws {
        let records = try location.open(creates: creates)
        isDurable = location != .memory
        do {
            keeper = try LeaseKeeper(of: records)
            // A promotion that meets damage goes on when that is put right.
            try records.checkThatItIsWhole(promotes: forPromotion || repairs)
            let place = try records.journal(at: location.journalPath)
            do {
                (journal, damage) = (try Self.journal(of: records, at: place), nil)
            } catch let error as JournalError where repairs && error.code == .damaged {
                damage = (error, try Self.putAside(place, of: records))
                journal = try Self.journal(of: records, at: place, former: [:])
            }
            (behind, setBack) = try Self.bringUp(records, to: journal, beside: forRun, repairs: repairs)
            if isDurable { try Self.begin(journal, of: records) }
            self.records = behind ?? records
        } catch {
            records.close()
            throw error
        }
    }

    /// - Parameter journal: one in memory; a new one if there is none yet.
    package init(
        _ records: any RecordStore, journal: Journal? = nil, isDurable: Bool = true, forRun: Bool = false
    ) throws {
        (self.isDurable, keeper, damage) = (isDurable, nil, nil)
        self.journal = try journal ?? Self.journal(of: records, at: .memory)
        (behind, setBack) = try Self.bringUp(records, to: self.journal, beside: forRun)
        self.records = behind ?? records
    }

    /// A store in memory, with a journal there that has all that one on a disk would have.
    public init(inMemory records: any RecordStore) throws { try self.init(records, isDurable: true) }

    private static func journal(
        of records: any RecordStore, at place: JournalLocation, former: [String: [UInt8]]? = nil
    ) throws -> Journal {
        // A store that was closed in peace has all that its journal had to say, and may be alone.
        let known = try former ?? valuesAtEnd(of: records)
        return try Journal(
            place, store: try identity(of: records), checkpoint: try JournalTail.checkpoint(of: records),
            former: known, isBegun: try former == nil && isBegun(records),
            series: String(Instant.wallClock.milliseconds, radix: 36))
    }

    /// In the store: what held at the end of its journal when it was closed in peace; nothing since it was opened again.
    private static let closed = "closed"

    /// Nil where the store says nothing without its journal, or has never had one.
    static func valuesAtEnd(of records: any RecordStore) throws(StoreError) -> [String: [UInt8]]? {
        guard let bytes = try records.meta(closed), !bytes.isEmpty else { return nil }
        return JournalEntry.values(of: bytes)
    }

    /// Whether there has to be a journal with what the store does not have itself.
    static func isBegun(_ records: any RecordStore) throws(StoreError) -> Bool {
        try records.meta(closed)?.isEmpty == true
    }

    /// From here on the store says nothing without its journal; the next process that opens that is to find where it begins.
    private static func begin(_ journal: Journal, of records: any RecordStore) throws {
        if journal.isEmpty { try journal.append(JournalEntry(writtenAt: .wallClock)) }
        if try !isBegun(records) { try records.commit(StoreBatch(meta: [closed: []])) }
    }

    /// Lets go of it. If the records have come to the end of the journal, and all has left, the store can do without it.
    public func close() {
        defer {
            journal.close()
            keeper?.end()
            records.close()
        }
        guard isDurable, (try? JournalTail.checkpoint(of: records)) == journal.last,
            (try? ForwardQueue(journal).count) == 0,
            (try? Outbox.leftovers(in: journal).isEmpty) == true
        else { return }
        try? records.commit(StoreBatch(meta: [Self.closed: JournalEntry.bytes(of: journal.values)]))
    }

    /// Says where the processes that wait for the store can reach the one that has it.
    public func publish(address: String) { keeper?.publish(address: address) }

    /// Whether another process may come to write to it while this one has it open.
    public var isShared: Bool { keeper != nil }

    /// Whether this process may write to it, as far as that is known.
    public var isHeld: Bool { (try? checkThatItIsHeld()) != nil }

    /// - Throws: why this process may not write to it any more, as far as that is known.
    func checkThatItIsHeld() throws { try keeper?.check() }

    /// Brings the records up to the end of the journal, when the run with it has failed.
    func catchUp() throws { _ = try Self.bringUp(records, to: journal, beside: false) }

    /// - Returns: what is still to be brought up, and the subjects that were set back.
    private static func bringUp(
        _ records: any RecordStore, to journal: Journal, beside: Bool, repairs: Bool = false
    ) throws -> (behind: JournaledStore?, setBack: [String]) {
        let checkpoint = try JournalTail.checkpoint(of: records)
        if journal.last == checkpoint { return (nil, []) }
        let behind = try JournaledStore(records, journal, after: checkpoint)
        if beside { return (behind, []) }
        if repairs { return (nil, try behind.repair()) }
        _ = try behind.catchUp()
        return (nil, [])
    }

    /// Leaves a journal where it can be looked at. What it has after the last checkpoint is lost.
    ///
    /// - Returns: where that is.
    private static func putAside(_ journal: JournalLocation, of records: any RecordStore) throws -> String {
        let place = try journal.putAside()
        // Records may have come further than the last checkpoint: the numbers of the next journal are beyond theirs.
        let next = try JournalTail.checkpoint(of: records) + 1 << 32
        try records.commit(StoreBatch(meta: JournalTail.meta(checkpoint: next)))
        return place
    }

    /// What tells it from others.
    var identity: String { get throws { try Self.identity(of: records) } }

    /// Made once for each store.
    private static func identity(of records: any RecordStore) throws -> String {
        if let known = try records.meta(JournalTail.identity) { return String(decoding: known, as: UTF8.self) }
        let identity = String(UInt64.random(in: 0 ... .max), radix: 16)
        try records.commit(StoreBatch(meta: [JournalTail.identity: Array(identity.utf8)]))
        return identity
    }
}
