import BelfryPlugin

private let plugin = Plugin(id: "digest", version: "1.0.0", strategies: [Digest.self])

@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}
