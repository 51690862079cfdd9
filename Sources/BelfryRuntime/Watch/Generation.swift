import BelfryConfiguration
import BelfryCore
import BelfryPluginHost

/// A configuration that was checked and loaded, ready to decide by.
struct Generation: Sendable {
    let loaded: Workspace.Loaded
    let outline: Outline

    /// What there is to tell of it, without keeping it.
    struct Outline: Sendable {
        let root: ConfigurationNode
        /// All that were found, used or not.
        let plugins: [ScannedPlugin]
        let remarks: [String]

        init(_ workspace: Workspace, _ loaded: Workspace.Loaded) {
            root = workspace.document.root
            plugins = workspace.plugins.plugins
            remarks = workspace.remarks(on: loaded)
        }
    }

    init(_ workspace: Workspace, _ loaded: Workspace.Loaded) {
        self.loaded = loaded
        outline = Outline(workspace, loaded)
    }
}
