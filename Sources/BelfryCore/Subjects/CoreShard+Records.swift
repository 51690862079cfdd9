import BelfryEngine

extension CoreShard {
    /// How many records are in memory.
    package var count: Int { records.count }

    /// Shows each record that changed since it was collected last, as it is to be kept, and lets go of those used longest ago.
    ///
    /// - Parameter limit: so many records may stay.
    package func collect(keeping limit: Int, _ body: (_ subject: String, _ bytes: [UInt8]) -> Void) {
        for place in dirty {
            records[place].isDirty = false
            body(records[place].subject, core.bytes(of: records[place]))
        }
        dirty.removeAll(keepingCapacity: true)
        if count > limit { makeRoom(limit) }
    }

    private func makeRoom(_ limit: Int) {
        let uses = (0..<count).map { records[$0].lastUse }.sorted()
        let newest = uses[count - limit - 1]
        records.removeAll { $0.lastUse <= newest }
    }
}
