import BelfryModel
import BelfryPostgres
import BelfryStore

/// Renews the lease of a store in a database, on a thread of its own, for as long as the store is open.
final class LeaseKeeper: Sendable {
    private let store: PostgresStore
    private let lease: PostgresLease
    private let isOver = Monitor(false)
    private static let pause = Duration.seconds(1)

    /// - Returns: nil for a store that has no lease.
    /// - Throws: `NoThread`, `StoreError`.
    init?(of records: any RecordStore) throws {
        guard let store = records as? PostgresStore, let lease = try store.database().lease else { return nil }
        (self.store, self.lease) = (store, lease)
        try startThread { [lease, isOver] in
            repeat {} while lease.renew() && !Self.isOver(after: Self.pause, isOver)
        }
    }

    deinit { end() }

    /// Says where this process can be reached.
    func publish(address: String) {
        lease.publish(address: address)
        // The next renewal says so.
        isOver.change { _ in }
    }

    /// - Throws: `StoreError` if another process has the lease, or the database does not say.
    func check() throws(StoreError) { try store.checkThatItIsHeld() }

    func end() { isOver.change { $0 = true } }

    private static func isOver(after pause: Duration, _ isOver: Monitor<Bool>) -> Bool {
        var looks = 0
        let deadline = MonotonicTime.now + pause
        return isOver.wait { isOver in
            looks += 1
            // A change wakes it.
            return isOver || looks > 1 || .now >= deadline ? .done(isOver) : .wait(until: deadline)
        }
    }
}
