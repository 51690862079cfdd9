extension Workspace {
    /// What is no error and still worth a line when a configuration is taken: action types that two plugins provide, plugins that
    /// are refused, and what is most likely a mistake.
    public func remarks(on loaded: Loaded) -> [String] {
        loaded.providers.actions.overrides.map { "note: action \($0)" } + warnings(on: loaded).map { "warning: \($0)" }
    }

    /// Of these, plugins that are refused, and what is most likely a mistake.
    public func warnings(on loaded: Loaded) -> [String] {
        plugins.refusals.map(\.description) + plugins.doubts.map(\.asDoubt) + loaded.catalog.warnings
    }

    /// Of these, what the lock has against plugins, used or not.
    public var trustRemarks: [String] {
        (plugins.refusals.filter(\.isOfTrust).map(\.description) + plugins.doubts.map(\.asDoubt)).map {
            "warning: \($0)"
        }
    }
}
