import BelfryModel

/// Where the records of subjects come from that are not in memory.
package protocol RecordSource {
    /// The records of subjects, in their order; nil for one that has none.
    func records(for subjects: [String]) throws -> [StoredRecord?]

    /// What the record of a subject that has none begins with: the number of its last decision before it was erased, 0 if it never was;
    /// and its place, as `StoredRecord` has it.
    func beginning(of subject: String) throws -> (lastDecision: UInt64, place: UInt32)
}
