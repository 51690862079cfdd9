import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfrySignals
import BelfryStore

/// Exchanges the records of a store with those of its shadow: from then on the shadow's configuration goes on with what it knows, and the
/// former one can be its shadow, which a second promotion takes back.
///
/// Page by page: what the store is to get is noted in the shadow in the commit that gives that page to the shadow. A promotion that was
/// ended in between goes on there.
public struct ShadowPromotion {
    private let (store, shadow): (OpenStore, OpenStore)

    /// The name of a value in the store: that it has not got all yet.
    static let isUnderway = "promotion"
    /// The name of a value in the shadow: what the store is to get of the page at work.
    private static let page = "promotion.page"
    private static let pageSize = 500

    /// What a store is to get.
    private typealias Page = [SubjectKey: [UInt8]]

    /// Exchanges all records.
    ///
    /// - Parameters:
    ///   - location: of a store that no other process has open for writing.
    ///   - progress: gets how many are done, now and then.
    /// - Returns: how many subjects that were.
    /// - Throws: `StoreError`, `JournalError`, or `ShadowRefusal` if there is no shadow, it has not decided everything that the store has, or
    ///   a record cannot be read.
    @discardableResult
    public static func perform(at location: StoreLocation, progress: (Int) -> Void = { _ in }) throws -> Int {
        guard let place = location.shadow, place.exists else { throw ShadowRefusal.none(location) }
        let store = try OpenStore(location, creates: false, forPromotion: true)
        defer { store.close() }
        let shadow = try OpenStore(place, creates: false, forPromotion: true)
        defer { shadow.close() }
        return try ShadowPromotion(store: store, shadow: shadow).perform(location, progress)
    }

    private func perform(_ location: StoreLocation, _ progress: (Int) -> Void) throws -> Int {
        let isUnderway = try store.records.meta(Self.isUnderway)?.isEmpty == false
        if !isUnderway { try begin(location) }
        var (after, count) = (isUnderway ? try finishPage() : nil, 0)
        while true {
            let subjects = try shadow.records.subjects(after: after, limit: Self.pageSize)
            if subjects.isEmpty { break }
            try exchange(subjects)
            after = subjects.last
            count += subjects.count
            progress(count)
        }
        try store.records.commit(StoreBatch(meta: [Self.isUnderway: []]))
        return count
    }

    private func begin(_ location: StoreLocation) throws {
        try checkThatShadowIsDone(location)
        // Until one that has begun is finished, nothing opens the store: what would keep it from that is looked for before.
        try Self.checkThatAllIsReadable(store, at: location)
        try Self.checkThatAllIsReadable(shadow, at: location.shadow ?? location)
        try finishErasures()
        try shadow.records.commit(StoreBatch(meta: [Self.page: []]))
        try store.records.commit(StoreBatch(meta: [Self.isUnderway: [1]]))
    }

    private func checkThatShadowIsDone(_ location: StoreLocation) throws {
        let position = try RunPosition(shadow.journal.value(RunPosition.key))
        guard try position.input?.name == store.identity else {
            throw ShadowRefusal.foreign(location.shadow ?? location)
        }
        let rest = JournalSource(store.journal, of: try store.identity, batchSize: 1, JournalBell())
        try rest.begin(after: position)
        if try rest.hasNext() { throw ShadowRefusal.behind }
    }

    private static func checkThatAllIsReadable(_ store: OpenStore, at location: StoreLocation) throws {
        let verification = try Verification(of: store.records, claims: nil)
        if let fault = verification.faults.first { throw ShadowRefusal.unreadable(fault.reason, fix: fault.fix) }
        if let finding = verification.damaged.first { throw ShadowRefusal.damaged(finding, location) }
        if let finding = verification.newer.first { throw ShadowRefusal.newer(finding) }
    }

    /// One that was interrupted may have come to the store alone.
    private func finishErasures() throws {
        let erased = Set(try store.records.forgotten().map(\.digest))
        var after: String?
        while !erased.isEmpty, case let page = try shadow.records.subjects(after: after, limit: Self.pageSize),
            let last = page.last
        {
            for subject in page where erased.contains(ForgottenSubject(subject, lastDecision: 0).digest) {
                if try isGone(subject) { _ = try shadow.erase(subject) }
            }
            after = last
        }
    }

    /// Whether the store has nothing of a subject, also not in quarantine.
    private func isGone(_ subject: String) throws -> Bool {
        try store.records.record(for: subject) == nil && store.records.quarantined(of: subject).isEmpty
    }

    /// - Returns: the last subject of a page that an earlier promotion was at; nil if there was none.
    private func finishPage() throws -> String? {
        guard let bytes = try shadow.records.meta(Self.page), !bytes.isEmpty else { return nil }
        guard let page = Self.page(of: bytes) else { throw ShadowRefusal.unknown }
        try give(page, to: store)
        return page.keys.max()?.text
    }

    private func exchange(_ subjects: [String]) throws {
        var (forStore, forShadow): (Page, Page) = ([:], [:])
        for subject in subjects {
            guard var there = try record(of: subject, in: shadow) else { continue }
            if var here = try record(of: subject, in: store) {
                here.continueNumbers(of: there)
                there.continueNumbers(of: here)
                forShadow[SubjectKey(subject)] = here.stored()
            } else {
                // Such as one in quarantine, behind whose numbers ids go on.
                there.decisions = max(there.decisions, try store.records.lastDecision(ofForgotten: subject))
            }
            forStore[SubjectKey(subject)] = there.stored()
        }
        try give(forShadow, to: shadow, meta: [Self.page: Self.bytes(of: forStore)])
        try give(forStore, to: store)
    }

    private func record(of subject: String, in store: OpenStore) throws -> SubjectRecord? {
        guard let bytes = try store.records.record(for: subject) else { return nil }
        return try SubjectRecord(of: subject, bytes)
    }

    private func give(_ page: Page, to store: OpenStore, meta: [String: [UInt8]] = [:]) throws {
        let changes = try page.map { subject, bytes in
            let due = try SubjectRecord(subject: subject.text, reading: bytes).nextDue
            return RecordChange(subject: subject.text, bytes: bytes, nextDue: due, entry: store.journal.last)
        }
        try store.records.commit(StoreBatch(records: changes, meta: meta))
    }
}

// A page, as it is kept in the shadow.

extension ShadowPromotion {
    /// The names of values are texts of Swift, of which two spellings are one: a number keeps subjects apart.
    private static func bytes(of page: Page) -> [UInt8] {
        let values = page.enumerated().map { ("\($0) \($1.key.text)", $1.value) }
        return JournalEntry.bytes(of: Dictionary(uniqueKeysWithValues: values))
    }

    private static func page(of bytes: [UInt8]) -> Page? {
        JournalEntry.values(of: bytes).map { values in
            Page(values.map { (subject(in: $0), $1) }, uniquingKeysWith: { $1 })
        }
    }

    private static func subject(in name: String) -> SubjectKey {
        SubjectKey(String(decoding: name.utf8.drop { $0 != UInt8(ascii: " ") }.dropFirst(), as: UTF8.self))
    }
}
