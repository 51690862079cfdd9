import BelfryConfiguration
import BelfryEngine
import BelfryPluginHost
import Foundation

/// A configuration with the plugins it needs, found and scanned: what every command starts from.
///
/// Nothing is loaded into this process yet; `load` does that.
public struct Workspace: Sendable {
    public let document: ConfigurationDocument
    public let plugins: PluginCatalog
    /// What it was made of, as it was read.
    package let sources: WorkspaceSources
    package let host: PluginHost
    /// Whether all that says which plugins may be loaded could be read.
    private let isTrustRead: Bool

    public var configuration: Configuration { document.configuration }

    /// Reads the configuration at `path` and scans the plugins in its folders, each in a child process.
    ///
    /// - Parameters:
    ///   - executable: this belfry, which the children run.
    ///   - log: what plugins have to say.
    public init(
        path: String, executable: String = Workspace.executable,
        environment: [String: String] = ProcessInfo.processInfo.environment,
        log: @escaping HostServices.Log
    ) throws {
        let host = try PluginHost(executable: executable, environment: environment, log: log)
        self = try Self.read(path, host: host)
    }

    /// Another configuration beside this one, whose plugins get into the same process.
    ///
    /// - Parameter option: what names it on the command line.
    public func workspace(at path: String, option: String = "--config") throws -> Workspace {
        try Self.read(path, option: option, host: host)
    }

    private static func read(_ path: String, option: String = "--config", host: PluginHost) throws -> Workspace {
        let (workspace, failure) = try attempt(ConfigurationFiles(path: path, option: option), host: host)
        if let failure { throw workspace.completed(failure) }
        return workspace
    }

    /// Tells it from others, in every process: by the texts of the configuration and the contents of the plugins.
    public var fingerprint: String { sources.fingerprint }

    /// The same from files that were read already. Where the form is wrong, what could be read comes with the failure.
    ///
    /// - Throws: when nothing could be read.
    package static func attempt(
        _ files: ConfigurationFiles, host: PluginHost
    ) throws(ConfigurationFailure) -> (workspace: Workspace, failure: ConfigurationFailure?) {
        let (document, failure) = try reader(host).attempt(files)
        let trust = WorkspaceTrust(of: document, host: host)
        let plugins = scan(document, trust.policy, host: host)
        let sources = WorkspaceSources(
            files, trust.files, isTrustRead: trust.isWhole, plugins: plugins, host: host)
        let workspace = Workspace(
            document: document, plugins: plugins, isTrustRead: trust.isWhole, sources: sources, host: host)
        let failures = [failure, trust.failure].compactMap(\.self)
        return (workspace, failures.dropFirst().reduce(failures.first) { $0?.joined(with: $1) })
    }

    private static func reader(_ host: PluginHost) -> ConfigurationReader {
        let zones = host.services.zones
        return ConfigurationReader(
            zoneExists: { zones.zone(named: $0) != nil },
            zoneNames: { ZoneDirectory.systemNames(environment: host.environment) })
    }

    private init(
        document: ConfigurationDocument, plugins: PluginCatalog, isTrustRead: Bool, sources: WorkspaceSources,
        host: PluginHost
    ) {
        (self.document, self.plugins, self.isTrustRead) = (document, plugins, isTrustRead)
        (self.sources, self.host) = (sources, host)
    }

    /// What was read and scanned before: neither is done again.
    init(
        _ files: ConfigurationFiles, host: PluginHost, _ plugins: PluginCatalog
    ) throws(ConfigurationFailure) {
        let (document, failure) = try Self.reader(host).attempt(files)
        if let failure { throw failure }
        self.init(
            document: document, plugins: plugins, isTrustRead: true,
            sources: WorkspaceSources(files, [], plugins: plugins, host: host), host: host)
    }

    /// What is wrong with the form, with what the plugins find wrong besides: all errors are reported at once.
    private func completed(_ failure: ConfigurationFailure) -> ConfigurationFailure {
        // Plugins that are kept out because the lock is wrong are not missing.
        guard document.hasAllReferences, isTrustRead else { return failure }
        do {
            _ = try load()
            return failure
        } catch let more as ConfigurationFailure {
            return failure.joined(with: more)
        } catch let more as UntrustedPlugins {
            return failure.joined(with: more.failure)
        } catch {
            // A plugin that does not load is told when the form is right.
            return failure
        }
    }

    /// The plugins in the default folders, for where there is no configuration.
    public static func bundledPlugins(
        executable: String = Workspace.executable, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> PluginCatalog {
        scan(nil, .open, host: try PluginHost(executable: executable, environment: environment) { _ in })
    }

    /// The plugins of a configuration by other rules than its own: for those who write or verify the lock.
    public static func plugins(
        of document: ConfigurationDocument, _ policy: TrustPolicy, executable: String = Workspace.executable,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> PluginCatalog {
        scan(document, policy, host: try PluginHost(executable: executable, environment: environment) { _ in })
    }

    private static func scan(
        _ document: ConfigurationDocument?, _ policy: TrustPolicy, host: PluginHost
    ) -> PluginCatalog {
        let (bundled, scanner) = (host.defaultSearch, host.scanner(policy))
        let found = PluginCatalog.scan(document?.pluginSearch(bundled: bundled) ?? bundled, with: scanner)
        let missing = PluginCatalog.alwaysThere.filter { found.plugin($0) == nil }
        return missing.isEmpty ? found : found.adding(missing, from: .scan(bundled, with: scanner))
    }

    /// The file this process was started from.
    public static var executable: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }
}

extension Workspace {
    /// The plugins that the configuration needs, loaded, and the catalog that was compiled with them.
    public struct Loaded: Sendable {
        public let plugins: [LoadedPlugin]
        public let providers: Providers
        public let catalog: Catalog
        /// Nil where they do not come of a workspace.
        public let provenance: Provenance?

        package init(
            plugins: [LoadedPlugin] = [], providers: Providers, catalog: Catalog, provenance: Provenance? = nil
        ) {
            (self.plugins, self.providers, self.catalog) = (plugins, providers, catalog)
            self.provenance = provenance
        }
    }

    /// Loads the plugins that the chain names, and those that provide actions, into this process.
    ///
    /// - Throws: `ConfigurationFailure`, `UntrustedPlugins`, `MissingActions` or `PluginRefusal`.
    public func load() throws -> Loaded {
        guard plugins.plugin("actions") != nil else {
            throw MissingActions(folders: plugins.folders, refusals: plugins.refusals)
        }
        var roster = PluginRoster()
        var loaded: [LoadedPlugin] = []
        var providers = Providers()
        for plugin in neededPlugins {
            let plugin = try host.library.load(plugin, roster: &roster)
            loaded.append(plugin)
            providers.add(plugin)
        }
        return Loaded(
            plugins: loaded, providers: providers, catalog: try compile(providers), provenance: provenance)
    }

    /// The plugins that the chain names, and those that provide actions, in the order in which they are loaded.
    package var neededPlugins: [ScannedPlugin] {
        let wanted = Set(configuration.chain.map(\.strategy))
        return plugins.inRegistrationOrder.filter { plugin in
            guard let manifest = plugin.manifest else { return false }
            return !manifest.actions.isEmpty || !wanted.isDisjoint(with: manifest.chainNames)
        }
    }

    /// - Throws: everything that is wrong, the strategies and sinks that are missing included.
    private func compile(_ providers: Providers) throws -> Catalog {
        do {
            let catalog = try Catalog(configuration, providers: providers, services: host.services)
            try checkSinks()
            return catalog
        } catch let error as ConfigurationProblems {
            let missing = missingStrategies
            // The engine knows that they are missing, and not where they were looked for.
            let others = error.problems.filter { problem in !missing.contains { $0.path == problem.path } }
            throw failure(missing: missing + missingSinks, others: others + wrongSinkParameters) ?? error
        }
    }

    /// The strategies of the chain that are in no plugin that was found.
    private var missingStrategies: [ConfigurationProblem] {
        configuration.chain.enumerated().filter { $1.enabled && plugins.provider(ofStrategy: $1.strategy) == nil }.map {
            index, entry in
            let missing = plugins.missingStrategy(entry.strategy)
            return ConfigurationProblem(
                path: ["chain", String(index), "strategy"], found: missing.found, expected: missing.expected,
                fix: missing.fix)
        }
    }
}

extension Providers {
    fileprivate mutating func add(_ plugin: LoadedPlugin) {
        for strategy in plugin.strategies { add(strategy, plugin: plugin.id) }
        for filter in plugin.filters { add(filter, plugin: plugin.id) }
        for action in plugin.actions { add(action, plugin: plugin.id) }
        for hook in plugin.receipts { add(hook) }
        if let outcomes = plugin.outcomes { add(outcomes) }
    }
}

extension ConfigurationDocument {
    /// The folder of the file, for what is relative to it.
    public var folder: String {
        let folder = (path as NSString).deletingLastPathComponent
        return folder.isEmpty ? "." : folder
    }

    /// The configured plugin folders; nil if the configuration leaves that to the defaults. The word `bundled` stands for the
    /// folder of the plugins that come with belfry.
    fileprivate func pluginSearch(bundled: PluginSearch) -> PluginSearch? {
        configuration.pluginDirectories.map { names in
            PluginSearch(
                folders: names.map { name in
                    if name == "bundled", let beside = bundled.folders.first { return beside }
                    return name.hasPrefix("/") ? name : folder + "/" + name
                })
        }
    }
}

extension PluginCatalog {
    /// The same with some plugins of another catalog, as far as it has them.
    fileprivate func adding(_ ids: [String], from other: PluginCatalog) -> PluginCatalog {
        PluginCatalog(
            folders: folders, plugins: plugins + ids.compactMap(other.plugin), passedOver: passedOver)
    }
}

/// The registry of actions is nowhere, or refused.
public struct MissingActions: Error, CustomStringConvertible {
    let folders: [String]
    let refusals: [PluginRefusal]

    public var description: String {
        let folders = folders.map { "'\($0)'" }.joined(separator: ", ")
        // Where the file is and cannot be used, that is what there is to say.
        let refused = refusals.first { $0.path.hasSuffix("/libBelfryActions.so") }
        return """
            there is no plugin 'actions', which runs the actions of notifications
              why: it is neither beside this belfry nor in \(folders)
              fix: put libBelfryActions.so, which is built with belfry, beside it
            """ + (refused.map { "\n\($0)" } ?? "")
    }
}
