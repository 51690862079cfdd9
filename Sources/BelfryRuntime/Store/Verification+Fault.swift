import BelfryStore

extension Verification {
    /// What is wrong with a store as a whole, and what can be done about it.
    public struct Fault: Sendable, Hashable {
        /// A sentence.
        public var reason: String
        /// A part of one.
        public var fix: String
    }

    /// Those of records and journal apart, since one may be whole where the other is not.
    static func faults(of store: any RecordStore) throws -> [Fault] {
        let journaled = store as? JournaledStore
        let rows = journaled?.rows ?? store
        var faults = try rows.faults().map { Fault(reason: $0, fix: restoration(of: rows)) }
        if let fault = try journaled?.journalFault() { faults.append(fault) }
        if let fault = try runFault(of: store) { faults.append(fault) }
        return faults
    }

    /// What `Runner` keeps besides records.
    private static func runFault(of store: any RecordStore) throws -> Fault? {
        do {
            _ = try RunPosition(try store.meta(RunPosition.key))
            return nil
        } catch let failure as RunPositionFailure {
            return Fault(reason: failure.reason, fix: RunPositionFailure.fix)
        }
    }

    /// What can be done where the tables of a store are damaged.
    static func restoration(of store: any RecordStore) -> String {
        let rows = (store as? JournaledStore)?.rows ?? store
        if rows is PostgresStore { return "restore the database from a backup" }
        return "restore it from a copy, or save what can be read: sqlite3 OLD .recover | sqlite3 NEW"
    }
}
