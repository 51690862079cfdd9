extension Catalog {
    /// The entries of the chain, each with the plugin that has its strategy; what does not take part has none.
    package var entryNames: [(entry: String, plugin: String)] {
        let plugins = Dictionary(chain.map { ($0.index, $0.provider.plugin) }) { first, _ in first }
        return configuration.chain.enumerated().map { ($1.id, plugins[$0] ?? "") }
    }
}
