/// The plugins that are there, without loading any of them into this process.
public struct PluginCatalog: Sendable {
    /// The folders that were searched.
    public let folders: [String]
    /// Folders that cannot be searched come first, then files in search order.
    public let plugins: [ScannedPlugin]
    /// The files that are no plugins, in search order; not those beside belfry, which came with it.
    public let passedOver: [PassedOverFile]

    package init(folders: [String], plugins: [ScannedPlugin], passedOver: [PassedOverFile] = []) {
        self.folders = folders
        self.plugins = plugins
        self.passedOver = passedOver
    }

    /// Scans every plugin of the folders. A file with the very contents of another is listed once.
    public static func scan(_ search: PluginSearch, with scanner: PluginScanner) -> PluginCatalog {
        let (files, refused) = search.candidates()
        var plugins = refused.map { ScannedPlugin(path: $0.path, refusal: $0) }
        var roster = PluginRoster()
        var copies: Set<String> = []
        var passedOver: [PassedOverFile] = []
        let own = scanner.ownFolder
        for file in files {
            do throws(PluginRefusal) {
                guard let scanned = try scanner.scan(file) else {
                    if realPath(file.folder) != own { passedOver.append(PassedOverFile(file.path)) }
                    continue
                }
                guard let copy = scanned.copy, copies.insert(copy).inserted, let manifest = scanned.manifest
                else { continue }
                try roster.enter(
                    id: manifest.id, names: manifest.chainNames, sinks: manifest.sinks.map(\.name), path: file.path)
                plugins.append(scanned)
            } catch {
                plugins.append(ScannedPlugin(path: file.path, refusal: error))
            }
        }
        return PluginCatalog(folders: search.folders, plugins: plugins, passedOver: passedOver)
    }

    public var manifests: [PluginManifest] { plugins.compactMap(\.manifest) }
    public var refusals: [PluginRefusal] { plugins.compactMap(\.refusal) }
    /// Of plugins that are loaded, and would not be if trust were enforced.
    public var doubts: [PluginRefusal] { plugins.compactMap(\.doubt) }

    /// The plugin that offers the strategy or filter with that name.
    public func provider(ofStrategy name: String) -> ScannedPlugin? {
        plugins.first { $0.manifest?.chainNames.contains(name) == true }
    }

    /// The plugin that offers that type of sinks, and what it says of it.
    package func provider(ofSink type: String) -> (plugin: ScannedPlugin, sink: PluginManifest.Sink)? {
        plugins.lazy.compactMap { plugin in
            plugin.manifest?.sinks.first { $0.name == type }.map { (plugin, $0) }
        }.first
    }

    /// The error for a type of sinks that no plugin offers.
    package func missingSink(_ type: String) -> MissingStrategy {
        MissingStrategy(
            name: type, folders: folders, offered: manifests.flatMap(\.sinks).map(\.name),
            refused: refusals.map(\.path), passedOver: passedOver)
    }

    /// The error for a name that no plugin offers.
    public func missingStrategy(_ name: String) -> MissingStrategy {
        MissingStrategy(
            name: name, folders: folders, offered: manifests.flatMap(\.chainNames),
            refused: refusals.map(\.path), passedOver: passedOver)
    }
}
