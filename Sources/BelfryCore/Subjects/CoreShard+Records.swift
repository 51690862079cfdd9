import BelfryEngine

extension CoreShard {
    /// How many records are in memory.
    package var count: Int { records.count }

    /// Shows each record that changed since it was collected last, as it is to be kept, and lets go of those used longest ago.
    ///
    /// - Parameters:
    ///   - limit: so many records may stay.
    ///   - body: cannot have anything decided or collected.
    package func collect(keeping limit: Int, _ body: (_ subject: String, _ bytes: [UInt8]) -> Void) {
        if isCollecting { return }
        isCollecting = true
        defer { isCollecting = false }
        for place in dirty {
            records[place].isDirty = false
            body(records[place].subject, core.bytes(of: records[place]))
        }
        dirty.removeAll(keepingCapacity: true)
        if count > limit { makeRoom(limit) }
    }

    private func makeRoom(_ limit: Int) {
        let ages = (0..<count).map { age(of: records[$0].lastUse) }.sorted(by: >)
        let youngest = ages[count - limit - 1]
        records.removeAll { age(of: $0.lastUse) >= youngest }
    }

    /// How many calls ago that one was. Their numbers begin again after 2^32 of them.
    private func age(of other: UInt32) -> UInt32 { call &- other }
}
