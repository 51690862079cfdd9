import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryPluginHost

/// Looks at the configuration and its plugins as they are on the disk, and tells what a run should do about it.
///
/// Everything is checked before it comes near the run: the form and the plugins as at start, then the whole once more by `belfry
/// config check` in a process of its own. Only what passed that, and the gate for new plugins, is taken.
struct Reloader: Sendable {
    enum Finding {
        /// Nothing new.
        case nothing
        /// What is in force is there again, after something that was wrong.
        case restored
        /// Why it cannot be used, for people.
        case wrong(String)
        case right(Generation)
    }

    private let path: String
    private let host: PluginHost
    /// Where plugins run, for the whole run.
    private let isolation: Configuration.Isolation
    private let watch: FileWatch
    /// The store that the run has opened; nil if it is none that the configuration names.
    private let store: String?
    /// Of the configuration that is in force, or about to be.
    private var accepted: WorkspaceSources
    /// The private copies of plugins that are at work then.
    private var atWork: Set<String>
    private let records: RecentRecords
    /// What was there at the last look.
    private var seen: WorkspaceSources
    /// What was wrong with that.
    private var report: String?

    /// - Parameter isStoreGiven: whether the run has another store than the configured one.
    init(
        _ workspace: Workspace, _ isolation: Configuration.Isolation, isStoreGiven: Bool, watch: FileWatch,
        records: @escaping RecentRecords
    ) throws(WatchFailure) {
        (self.isolation, self.records) = (isolation, records)
        atWork = workspace.copiesAtWork
        path = workspace.document.path
        host = workspace.host
        store = isStoreGiven ? nil : workspace.configuration.store
        (accepted, seen) = (workspace.sources, workspace.sources)
        self.watch = watch
        _ = try watch.follow(seen.trail)
    }

    /// How often what is wrong is read again because it is still being changed.
    private static let mostAttempts = 20

    mutating func look() throws(WatchFailure) -> Finding {
        for _ in 1..<Self.mostAttempts {
            let (sources, draft) = try read()
            let outcome = judge(sources, draft)
            // What is being written right now is wrong for a moment.
            if case .failure = outcome, watch.takeNews(within: FileWatch.quiet) { continue }
            return settle(sources, outcome)
        }
        let (sources, draft) = try read()
        return settle(sources, judge(sources, draft))
    }

    /// A generation to take, nil if there is nothing to take, or what is wrong.
    private func judge(_ sources: WorkspaceSources, _ draft: Draft) -> Result<Generation?, any Error> {
        // What is wrong is checked again: the cause may lie outside, such as a library that a plugin needs.
        if sources == accepted || (sources == seen && report == nil) { return .success(nil) }
        return Result { try check(draft) }
    }

    private mutating func settle(_ sources: WorkspaceSources, _ outcome: Result<Generation?, any Error>) -> Finding {
        let former = (sources: seen, report: report)
        (seen, report) = (sources, nil)
        switch outcome {
        case .success(nil): return former.report == nil ? .nothing : .restored
        case .success(let generation?):
            (accepted, atWork) = (sources, generation.copies)
            return .right(generation)
        case .failure(let error):
            // A plugin that is refused may be the cause, and may be told as that already.
            let told = "\(error)"
            let refusals = sources.refusals.filter { !accepted.refusals.contains($0) && !told.contains($0) }
            let why = (refusals + [told]).joined(separator: "\n")
            report = why
            return sources == former.sources && why == former.report ? .nothing : .wrong(why)
        }
    }

    private typealias Draft = Result<Workspace, ConfigurationFailure>

    /// Reads, and again as long as that leads to what was not watched: it could have changed unnoticed.
    private func read() throws(WatchFailure) -> (WorkspaceSources, Draft) {
        var (sources, draft) = readOnce()
        while try watch.follow(sources.trail) { (sources, draft) = readOnce() }
        return (sources, draft)
    }

    private func readOnce() -> (WorkspaceSources, Draft) {
        let files = ConfigurationFiles(path: path)
        do throws(ConfigurationFailure) {
            let (workspace, failure) = try Workspace.attempt(files, host: host)
            return (workspace.sources, failure.map { .failure($0) } ?? .success(workspace))
        } catch {
            return (
                WorkspaceSources(files, [PluginLockReader.path(beside: path)], plugins: nil, host: host),
                .failure(error)
            )
        }
    }

    private func check(_ draft: Draft) throws -> Generation {
        try ConfigurationTrial.run(path, host: host)
        // Whatever was read here; if it is no longer what was tried, that was noticed, and there will be another look.
        let workspace = try draft.get()
        if let store { try workspace.document.check(store: store) }
        return Generation(workspace, try ReloadGate(atWork, isolation, records).load(workspace))
    }
}

extension ConfigurationDocument {
    /// - Throws: if it wants another store than the one that a run has opened.
    fileprivate func check(store: String) throws(ConfigurationFailure) {
        guard configuration.store != store else { return }
        throw locate([
            ConfigurationProblem(
                path: ["store"], found: "the store '\(configuration.store)'",
                expected: "'\(store)', which this run has opened: a run keeps its store",
                fix: "put it back, or stop this run and start it again")
        ])
    }
}
