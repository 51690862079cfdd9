import BelfryCore
import BelfryModel
import BelfryStore

/// The records of a store, for shards.
struct StoredRecords: RecordSource {
    private let store: any RecordStore

    init(_ store: any RecordStore) { self.store = store }

    func records(for subjects: [String]) throws -> [StoredRecord?] { try store.records(for: subjects) }

    func beginning(of subject: String) throws -> (lastDecision: UInt64, place: UInt32) {
        (try store.lastDecision(ofForgotten: subject), 0)
    }
}
