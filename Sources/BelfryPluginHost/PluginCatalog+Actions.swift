import BelfryEngine

extension PluginCatalog {
    /// The plugins of the actions that every host has, whatever folders are configured.
    package static let alwaysThere = ["actions", "action-menu"]

    /// How plugins register what they provide: those that are always there first, so that others can replace what they
    /// provide, then as they were found.
    package var inRegistrationOrder: [ScannedPlugin] {
        let first = Self.alwaysThere.compactMap(plugin)
        return first + plugins.filter { plugin in !first.contains { $0.path == plugin.path } }
    }

    /// Every action type that the plugins provide, as a run would register it.
    public var actions: ActionRegistry<PluginManifest.Action> {
        var registry = ActionRegistry<PluginManifest.Action>()
        for manifest in inRegistrationOrder.compactMap(\.manifest) {
            for action in manifest.actions { registry.register(action, for: action.type, by: manifest.id) }
        }
        return registry
    }

    package func plugin(_ id: String) -> ScannedPlugin? { plugins.first { $0.manifest?.id == id } }
}
