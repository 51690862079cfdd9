import BelfryEngine
import BelfryModel
import CBelfry
import Synchronization

/// The plugins that are loaded into this process.
///
/// Contents that were loaded stay, set up, until the process ends: every library that wants them gets the same plugin, whose
/// `init` has run once, with the host of the library that was first. A file with other contents is another plugin beside the
/// former one. So two configurations can be at work at once, each with its own version of a plugin, and a version that was
/// replaced may come back.
public final class PluginLibrary: Sendable {
    private let hosts: HostPointers
    /// By private copy, which is named by its contents. The process has one image of each, whichever library loads it.
    private static let plugins = Mutex<[String: LoadedPlugin]>([:])

    /// - Parameter host: what plugins get; it must stay valid until the process ends.
    package init(host: UnsafePointer<belfry_host>) { hosts = HostPointers(host) }

    package init(_ services: HostServices) { hosts = HostPointers(services) }

    /// Loads a plugin that was scanned before, from the copy that was scanned. [setup]
    package func load(_ plugin: ScannedPlugin, roster: inout PluginRoster) throws(PluginRefusal) -> LoadedPlugin {
        if let refusal = plugin.refusal { throw refusal }
        var loaded = try load(copy: plugin.copy ?? plugin.path, path: plugin.path, roster: &roster)
        (loaded.digest, loaded.signer) = (plugin.digest, plugin.signer)
        return loaded
    }

    private func load(
        copy: String, path: String, roster: inout PluginRoster
    ) throws(PluginRefusal) -> LoadedPlugin {
        try Self.plugins.withLock { plugins throws(PluginRefusal) in
            if var plugin = plugins[copy] {
                plugin.path = path
                try roster.enter(plugin)
                return plugin
            }
            let plugin = try Self.load(copy: copy, path: path, hosts, roster: &roster)
            plugins[copy] = plugin
            return plugin
        }
    }

    /// Loads the image at `copy`, for the plugin that was found at `path`.
    package static func load(
        copy: String, path: String, _ hosts: HostPointers, roster: inout PluginRoster
    ) throws(PluginRefusal) -> LoadedPlugin {
        let image: PluginImage
        do {
            image = try PluginImage(opening: copy)
        } catch {
            throw PluginRefusal(path: path, differences: [error])
        }
        return try Negotiation(path: path, hosts).conclude(with: image, roster: &roster)
    }
}

/// What plugins get of the host: one for all, or one for each, so that what a plugin says is known to be its own.
package struct HostPointers: Sendable {
    /// What a plugin gets before it has said its id.
    let common: Constant<UnsafePointer<belfry_host>>
    private let services: HostServices?

    package init(_ common: UnsafePointer<belfry_host>) { (self.common, services) = (Constant(common), nil) }

    package init(_ services: HostServices) { (common, self.services) = (Constant(services.pointer), services) }

    /// - Parameter id: of the plugin.
    func pointer(for id: String) -> UnsafePointer<belfry_host> { services?.pointer(for: id) ?? common.pointer }
}
