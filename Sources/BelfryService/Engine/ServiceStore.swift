import BelfryJournal
import BelfryRuntime
import BelfryStore
import Synchronization

/// The store of a service, which is opened again when its run had failed.
final class ServiceStore: Sendable {
    let location: StoreLocation
    /// What is in memory is there as long as the service is. Nil for another store, and before the first time.
    private let inMemory = Mutex<(records: any RecordStore, journal: Journal)?>(nil)

    /// While another replica has it.
    private let lookout = Mutex<StoreLookout?>(nil)

    init(_ location: StoreLocation) { self.location = location }

    /// Whether it is to be closed when a run has ended: what is in memory cannot be opened again.
    var closes: Bool { location != .memory }

    /// - Throws: as `OpenStore`.
    func open() throws -> OpenStore {
        if closes { return try openWhenFree() }
        return try inMemory.withLock { known in
            let records = try known?.records ?? location.open()
            // The journal is in memory as well, and has all that it would have on a disk.
            let store = try OpenStore(records, journal: known?.journal, forRun: true)
            known = (records, store.journal)
            return store
        }
    }

    private func openWhenFree() throws -> OpenStore {
        do { try lookout.withLock { $0 }?.check() } catch {
            if error.holder != nil { throw error }
            // It may be the connection alone that is lost.
            lookout.withLock { $0 = nil }
        }
        do {
            let store = try OpenStore(location, forRun: true)
            lookout.withLock { $0 = nil }
            return store
        } catch let error as StoreError where error.holder != nil {
            lookout.withLock { $0 = $0 ?? (try? StoreLookout(location)) }
            throw error
        }
    }
}
