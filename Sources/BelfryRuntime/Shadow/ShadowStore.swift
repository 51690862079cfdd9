import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfrySignals
import BelfryStore

/// The store of a shadow, beside that of the run that it follows.
enum ShadowStore {
    /// Opens it. One that is new gets all records of the run, and begins behind the last entry of its journal.
    static func open(
        beside followed: OpenStore, at location: StoreLocation, _ settings: Shadow.Settings
    ) throws -> OpenStore {
        let place = try place(beside: location)
        let store = place == .memory ? try OpenStore(inMemory: place.open()) : try OpenStore(place)
        do {
            if store.journal.value(ShadowRecord.key) == nil { try fill(store, from: followed, settings) }
            let input = try RunPosition(store.journal.value(RunPosition.key)).input
            guard try input?.name == followed.identity else { throw ShadowRefusal.foreign(place) }
            return store
        } catch {
            store.close()
            throw error
        }
    }

    /// - Throws: `ShadowRefusal` if there can be none.
    static func place(beside location: StoreLocation) throws -> StoreLocation {
        guard let place = location.shadow else { throw ShadowRefusal.shared(location) }
        return place
    }

    private static func fill(_ store: OpenStore, from followed: OpenStore, _ settings: Shadow.Settings) throws {
        // In the journal alone may be what the records have not come to.
        let source = try JournaledStore(of: followed)
        var (after, last): (String?, [String]) = (nil, [])
        repeat {
            last = try source.subjects(after: after, limit: 1000)
            after = last.last
            let records = try last.compactMap { subject -> RecordChange? in
                guard let bytes = try source.record(for: subject) else { return nil }
                let record = try SubjectRecord(of: subject, bytes)
                return RecordChange(subject: subject, bytes: bytes, nextDue: record.nextDue)
            }
            try store.records.commit(StoreBatch(records: records))
        } while !last.isEmpty
        try begin(store, behind: followed, settings)
    }

    private static func begin(_ store: OpenStore, behind followed: OpenStore, _ settings: Shadow.Settings) throws {
        var position = try RunPosition(followed.journal.value(RunPosition.key))
        position.input = InputPosition(
            name: try followed.identity, offset: 0,
            line: JournalPlace(entry: followed.journal.last, lines: 0).number, isFinished: false, fingerprint: 0)
        (position.handedOut, position.output) = (0, nil)
        var entry = JournalEntry(writtenAt: .wallClock)
        entry.values[RunPosition.key] = position.bytes
        entry.values[ShadowRecord.key] =
            ShadowRecord(
                entry: (followed.journal.last, store.journal.last), of: settings.name,
                fingerprint: settings.fingerprint,
                since: .wallClock
            ).bytes
        try store.journal.append(entry)
    }
}

extension StoreLocation {
    /// Where the shadow of a run with this store has its own; nil if it cannot have one.
    public var shadow: StoreLocation? {
        if case .postgres = self { return nil }
        return behindLinks.path.map { at($0 + ".shadow") } ?? self
    }
}
