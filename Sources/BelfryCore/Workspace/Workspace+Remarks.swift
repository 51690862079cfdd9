extension Workspace {
    /// What is no error and still worth a line when a configuration is taken: action types that two plugins provide, plugins that
    /// are refused, and what is most likely a mistake.
    public func remarks(on loaded: Loaded) -> [String] {
        loaded.providers.actions.overrides.map { "note: action \($0)" }
            + (plugins.refusals.map(\.description) + loaded.catalog.warnings).map { "warning: \($0)" }
    }
}
