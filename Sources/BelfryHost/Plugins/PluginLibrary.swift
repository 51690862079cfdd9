import CBelfry

/// Loads plugins into this process.
///
/// The first file in search order keeps an id or a name; a later one with the same is refused, naming both. A
/// file with the very contents of another is that plugin, not a second one.
public struct PluginLibrary {
    public let search: PluginSearch
    private let copies: PrivateCopies
    private let host: UnsafePointer<belfry_host>
    private var roster = PluginRoster()
    private var loadedCopies: Set<String> = []

    /// `host` is what plugins get; it must stay valid until the process ends.
    public init(search: PluginSearch, copies: PrivateCopies, host: UnsafePointer<belfry_host>) {
        self.search = search
        self.copies = copies
        self.host = host
    }

    /// Loads every plugin of the folders; files that are none are skipped without a word. [setup]
    ///
    /// A plugin that crashes or hangs takes this process with it; scan it first where that matters.
    public mutating func loadAll() -> (plugins: [LoadedPlugin], refusals: [PluginRefusal]) {
        var (files, refusals) = search.candidates()
        var plugins: [LoadedPlugin] = []
        for file in files {
            do throws(PluginRefusal) {
                let copy = try file.ifPlugin { file throws(PluginRefusal) in try copies.copy(of: file) }
                guard let copy, loadedCopies.insert(copy).inserted else { continue }
                plugins.append(try Self.load(copy: copy, path: file.path, host: host, roster: &roster))
            } catch {
                refusals.append(error)
            }
        }
        return (plugins, refusals)
    }

    /// Loads a plugin that was scanned before, from the copy that was scanned. [setup]
    public mutating func load(_ plugin: ScannedPlugin) throws(PluginRefusal) -> LoadedPlugin {
        if let refusal = plugin.refusal { throw refusal }
        return try Self.load(copy: plugin.copy ?? plugin.path, path: plugin.path, host: host, roster: &roster)
    }

    /// Loads the image at `copy`, for the plugin that was found at `path`.
    static func load(
        copy: String, path: String, host: UnsafePointer<belfry_host>, roster: inout PluginRoster
    ) throws(PluginRefusal) -> LoadedPlugin {
        let image: PluginImage
        do {
            image = try PluginImage(opening: copy)
        } catch {
            throw PluginRefusal(path: path, differences: [error])
        }
        return try Negotiation(path: path, host: host).conclude(with: image, roster: &roster)
    }
}
