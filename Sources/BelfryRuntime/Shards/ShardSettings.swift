import BelfryCore
import BelfryModel

/// What the shards of a run begin with.
struct ShardSettings {
    var count: Int
    var store: OpenStore
    /// The last tick.
    var passed: Instant
    /// Of records in memory, for each.
    var capacity: Int
    /// The subjects whose records are in the trace; nil without one.
    var traced: Set<SubjectKey>?
    /// Gets to know what dies; nil where no entry is ever left out.
    var quarantine: EntryQuarantine?
}

extension DecisionSource {
    /// - Throws: `NoThread`, or why a process could not be started.
    func workers(_ settings: ShardSettings) throws -> [any ShardWorker] {
        switch self {
        case .threads(let loaded): return try Self.threads(loaded, settings)
        case .processes(let zygote):
            let timers = try settings.store.records.timers()
            var workers: [ShardProcess] = []
            do {
                for index in 0..<settings.count {
                    workers.append(
                        try ShardProcess(zygote, settings, ShardPlace(index: index, count: settings.count), timers))
                }
            } catch {
                for worker in workers { worker.end() }
                throw error
            }
            return workers
        }
    }

    private static func threads(_ loaded: Workspace.Loaded, _ settings: ShardSettings) throws -> [ShardThread] {
        let store = settings.store
        let sites = (0..<settings.count).map { _ in CallSite(loaded.catalog) }
        let catalog = loaded.catalog
        let shards = sites.map { site in
            let cache = RecordCache(
                store.isDurable ? StoredRecords(store.records) : nil, catalog.services.states,
                capacity: settings.capacity)
            return Shard(
                catalog, cache, passed: settings.passed, trace: settings.traced.map { ShardTrace(known: $0) },
                note: site.note, site: site, hasJournal: store.isDurable)
        }
        for (subject, due) in try store.records.timers() {
            shards[BatchReader.shard(stableHash(subject), of: settings.count)].expectTimer(of: subject, at: due)
        }
        try CallSite.watch(sites)
        var threads: [ShardThread] = []
        do {
            for (index, shard) in shards.enumerated() {
                threads.append(try ShardThread(shard, ShardPlace(index: index, count: settings.count), sites[index]))
            }
        } catch {
            // They wait for work otherwise.
            threads.forEach { $0.end() }
            throw error
        }
        return threads
    }

    /// What runs actions.
    func actions(warn: @escaping (String) -> Void) -> any ActionCalls {
        switch self {
        case .threads(let loaded): ActionRunner(of: loaded.catalog, loaded.providers, warn: warn)
        case .processes(let zygote): ActionProcess(zygote)
        }
    }
}
