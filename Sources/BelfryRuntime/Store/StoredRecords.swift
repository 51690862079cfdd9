import BelfryCore
import BelfryStore

/// The records of a store, for shards.
struct StoredRecords: RecordSource {
    private let store: any RecordStore

    init(_ store: any RecordStore) { self.store = store }

    func record(for subject: String) throws -> [UInt8]? { try store.record(for: subject) }

    func records(for subjects: [String]) throws -> [[UInt8]?] { try store.records(for: subjects) }

    func lastDecision(ofErased subject: String) throws -> UInt64 { try store.lastDecision(ofErased: subject) }
}
