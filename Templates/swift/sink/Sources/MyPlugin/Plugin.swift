import BelfryPlugin

private let plugin = Plugin(id: "my-plugin", version: "0.1.0", sinks: [MyPlugin.self])

/// The only function that the host looks for.
@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}
