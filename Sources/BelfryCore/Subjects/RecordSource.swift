/// Where the records of subjects come from that are not in memory.
package protocol RecordSource {
    /// The stored form of a record; nil if there is none.
    func record(for subject: String) throws -> [UInt8]?

    /// The same for several subjects, in their order.
    func records(for subjects: [String]) throws -> [[UInt8]?]

    /// The number of the last decision of a subject that was erased; 0 if it never was.
    func lastDecision(ofErased subject: String) throws -> UInt64
}
