import BelfryEngine
import BelfryModel
import BelfryRuntime
import BelfryStore

extension ServiceEngine {
    /// Reads what is committed.
    func withRecords<Result: ~Copyable>(_ body: (any RecordStore) throws -> Result) throws -> Result {
        try body(JournaledStore(of: parts.store))
    }

    /// The number of the last decision about a subject; 0 before the first.
    func lastDecision(of subject: String) throws -> UInt64 {
        try withRecords { store in
            guard let bytes = try store.record(for: subject) else {
                return try store.lastDecision(ofForgotten: subject)
            }
            return try SubjectRecord(of: subject, bytes).decisions
        }
    }

    /// Asks the plugins about a subject, on a thread that may take its time.
    ///
    /// - Parameter record: as it is stored.
    /// - Throws: as `DecisionSource.answer`.
    func answer(_ question: RecordQuestion, about subject: String, _ record: [UInt8]?) async throws -> Value {
        let (source, quarantined) = (source, quarantine.excluded)
        return try await onThread { try source.answer(question, about: subject, record, quarantined: quarantined) }
    }
}
