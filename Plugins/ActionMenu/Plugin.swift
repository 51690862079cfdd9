import BelfryPlugin

private let plugin = Plugin(id: "action-menu", version: "1.0.0", actions: [ActionMenu.self])

@c @implementation
public func belfry_plugin_entry_v1(_ hello: UnsafePointer<belfry_hello>?) -> UnsafePointer<belfry_plugin>? {
    plugin.root
}
