import BelfryCore
import BelfryEngine
import BelfryPluginHost

/// What another configuration has to pass before it decides anything: 'config check', and, for each plugin that is new, 'plugins check' and
/// a trial with what is stored. All of that is done in processes of their own.
public struct ReloadGate: Sendable {
    /// The private copies of plugins that are at work already.
    private let former: Set<String>
    private let isolation: Configuration.Isolation
    private let records: RecentRecords

    private static let mostRecords = 1000

    /// - Parameters:
    ///   - former: what is in force.
    ///   - isolation: where plugins run.
    ///   - records: those that changed last.
    public init(_ former: Workspace, _ isolation: Configuration.Isolation, records: @escaping RecentRecords) {
        self.init(former.copiesAtWork, isolation, records)
    }

    init(_ former: Set<String>, _ isolation: Configuration.Isolation, _ records: @escaping RecentRecords) {
        (self.former, self.isolation, self.records) = (former, isolation, records)
    }

    /// Tries a configuration, and loads it.
    ///
    /// - Throws: what is wrong, for people; the former one is to stay then.
    public func pass(_ workspace: Workspace) throws -> DecisionSource {
        try ConfigurationTrial.run(workspace.document.path, host: workspace.host)
        return try load(workspace)
    }

    /// The same after 'config check'.
    func load(_ workspace: Workspace) throws -> DecisionSource {
        let new = workspace.neededPlugins.filter { plugin in
            !workspace.host.isBundled(plugin) && plugin.copy.map { !former.contains($0) } ?? false
        }
        if new.isEmpty { return try DecisionSource(workspace, isolation) }
        for plugin in new { try PluginTrial(plugin, in: workspace).run() }
        let zygote = try Zygote(workspace)
        try StateTrial(new, in: workspace).run(try records(Self.mostRecords), by: zygote)
        return isolation == .process ? .processes(zygote) : try DecisionSource(workspace, isolation)
    }
}

extension Workspace {
    /// The private copies of the plugins that it needs.
    var copiesAtWork: Set<String> { Set(neededPlugins.compactMap(\.copy)) }
}

/// A plugin that may not take the place of the former one.
struct UnfitPlugin: Error, CustomStringConvertible {
    let description: String

    init(_ plugin: ScannedPlugin, _ why: String, fix: String) {
        let name = plugin.manifest.map { "'\($0.id)' \($0.version)" } ?? "'\(plugin.path)'"
        description = "cannot take plugin \(name)\n  why: \(why)\n  fix: \(fix)"
    }
}
