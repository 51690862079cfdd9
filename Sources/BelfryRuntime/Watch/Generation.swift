import BelfryConfiguration
import BelfryCore
import BelfryPluginHost

/// A configuration that was checked and loaded, ready to decide by.
struct Generation: Sendable {
    let source: DecisionSource
    let outline: Outline
    /// The private copies of the plugins that it needs.
    let copies: Set<String>

    /// What there is to tell of it, without keeping it.
    struct Outline: Sendable {
        let root: ConfigurationNode
        /// All that were found, used or not.
        let plugins: [ScannedPlugin]
        let remarks: [String]

        init(_ workspace: Workspace, remarks: [String]) {
            root = workspace.document.root
            plugins = workspace.plugins.plugins
            self.remarks = remarks
        }
    }

    init(_ workspace: Workspace, _ source: DecisionSource) {
        self.source = source
        copies = workspace.copiesAtWork
        outline = Outline(workspace, remarks: source.remarks(of: workspace))
    }
}
