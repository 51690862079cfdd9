import BelfryModel
import BelfryPluginHost

/// Which configuration decides, and by which plugins.
public struct Provenance: Sendable, Equatable {
    /// Tells the configuration and the contents of its plugins from others.
    public let generation: String
    /// `sha256:…` of each plugin's file, by the id of the plugin.
    public let plugins: [String: String]

    public var value: Value {
        let digests = plugins.sorted { $0.key < $1.key }.map { ($0.key, Value.text($0.value)) }
        return ["generation": .text(generation), "plugins": .map(Fields(digests))]
    }
}

extension Workspace {
    /// What is said of whatever this decides.
    public var provenance: Provenance {
        let digests = neededPlugins.compactMap { plugin in
            plugin.manifest.flatMap { manifest in plugin.digest.map { (manifest.id, $0) } }
        }
        return Provenance(generation: fingerprint, plugins: Dictionary(digests) { $1 })
    }
}
