import BelfryPlugin

private let plugin = Plugin(id: "noop-swift", version: "1.0.0", strategies: [Noop.self])

@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}
