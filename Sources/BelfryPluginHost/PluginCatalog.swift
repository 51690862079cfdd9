import BelfryModel

/// One file, or folder, that a catalog found: what it offers, or why it is refused.
public struct ScannedPlugin: Sendable {
    public let path: String
    /// The private copy that was scanned; nil if it is refused.
    package let copy: String?
    /// `sha256:…`; nil where it was not hashed.
    public let digest: String?
    /// Who has signed it; nil if that was not asked for.
    public let signer: String?
    /// Why it would not be loaded if trust were enforced.
    public let doubt: PluginRefusal?
    public let result: Result<PluginManifest, PluginRefusal>

    init(_ admitted: PluginAdmission.Admitted, _ manifest: PluginManifest) {
        (path, copy, digest) = (admitted.path, admitted.copy, "\(admitted.digest)")
        (signer, doubt, result) = (admitted.signer, admitted.doubt, .success(manifest))
    }

    init(path: String, refusal: PluginRefusal) {
        (self.path, copy, digest) = (path, nil, refusal.digest)
        (signer, doubt, result) = (nil, nil, .failure(refusal))
    }

    /// Nil if it is refused.
    public var manifest: PluginManifest? { try? result.get() }

    public var refusal: PluginRefusal? {
        if case .failure(let refusal) = result { refusal } else { nil }
    }
}

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

/// A configuration names a strategy or filter that no plugin offers.
public struct MissingStrategy: Error, Sendable, Hashable, CustomStringConvertible {
    public let name: String
    public let folders: [String]
    /// What the plugins that were found offer.
    public let offered: [String]
    /// Files and folders that were refused: the strategy may be in one of them.
    public let refused: [String]
    /// Files that are no plugins: one of them may be meant to be the one that offers it.
    public let passedOver: [PassedOverFile]

    public init(
        name: String, folders: [String], offered: [String], refused: [String] = [], passedOver: [PassedOverFile] = []
    ) {
        self.name = name
        self.folders = folders
        self.offered = offered.sorted()
        self.refused = refused
        self.passedOver = passedOver
    }

    public var description: String {
        (["no strategy named '\(name)'"] + reasons.map { "  why: \($0)" } + ["  fix: \(fix)"]).joined(
            separator: "\n")
    }

    /// The same as a problem of the configuration.
    package var found: String { "the unknown strategy '\(name)'" }
    package var expected: String { "one that a plugin has: " + reasons.joined(separator: "; ") }

    private var reasons: [String] {
        let place =
            folders.isEmpty
            ? "no plugin folder was given" : "the plugins in \(listed(folders.map { "'\($0)'" }))"
        let offer = offered.isEmpty ? "offer none" : "offer \(listed(offered))"
        var reasons = [folders.isEmpty ? place : "\(place) \(offer)"]
        if !refused.isEmpty {
            let files = listed(refused.map { "'\(fileName(of: $0))'" })
            reasons.append(
                "\(files) \(refused.count == 1 ? "was" : "were") refused and may have it; see 'belfry plugins'"
            )
        }
        return reasons + passedOverReasons
    }

    /// A few names are enough: a folder may have many libraries.
    private var passedOverReasons: [String] {
        let named = passedOver.prefix(3)
        let more = passedOver.count - named.count
        return named.map { "'\(fileName(of: $0.path))' is no plugin: \($0.why)" }
            + (more == 0 ? [] : ["and \(more) more \(more == 1 ? "is" : "are") none; see 'belfry plugins'"])
    }

    package var fix: String {
        if let near = nearestMatch(to: name, among: offered) { return "did you mean '\(near)'?" }
        return
            "put the plugin that offers it into one of these folders, or add its folder to 'plugins: directories' ('bundled' is that of belfry)"
    }
}
