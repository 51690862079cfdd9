import BelfryModel

/// Where the records of subjects come from that are not in memory.
package protocol RecordSource {
    /// The records of subjects, in their order; nil for one that has none.
    func records(for subjects: [String]) throws -> [StoredRecord?]

    /// The number of the last decision of a subject that was erased; 0 if it never was.
    func lastDecision(ofErased subject: String) throws -> UInt64
}
