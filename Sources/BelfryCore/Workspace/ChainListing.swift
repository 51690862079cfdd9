import BelfryEngine
import BelfryModel

/// The chain as an operator looks at it: every entry, what provides it, and each of its parameters with the place it is configured in.
public struct ChainListing: Sendable {
    public struct Entry: Sendable {
        /// From 1.
        public var position: Int
        public var id: String
        public var strategy: String
        /// Nil if no plugin has the strategy.
        public var plugin: String?
        public var version: String?
        public var counter: String
        public var control: String
        public var isEnabled: Bool
        public var parameters: [Parameter]
    }

    public struct Parameter: Sendable {
        /// Nil for a level that switches the entry as a whole.
        public var name: String?
        public var value: Value
        public var file: String
        public var line: Int
        /// The keys that lead to it, for display.
        public var path: String
    }

    public var entries: [Entry]
}

extension Workspace {
    public var chainListing: ChainListing {
        ChainListing(
            entries: configuration.chain.enumerated().map { index, entry in
                let manifest = plugins.provider(ofStrategy: entry.strategy)?.manifest
                let counter = manifest?.strategies.first { $0.name == entry.strategy }?.defaultCounter
                return ChainListing.Entry(
                    position: index + 1, id: entry.id, strategy: entry.strategy, plugin: manifest?.id,
                    version: manifest?.version,
                    counter: entry.per?.description ?? counter ?? "subject", control: entry.control.rawValue,
                    isEnabled: entry.enabled,
                    parameters: levels(of: entry, at: index).flatMap(parameters))
            })
    }

    /// Everything the configuration says of an entry, from the least specific level to the most specific one.
    private func levels(of entry: Configuration.Entry, at index: Int) -> [(path: [String], level: Configuration.Level)]
    {
        let own = entry.parameters.map { (["chain", String(index), "parameters"], Configuration.Level.on($0)) }
        let others = configuration.levels.compactMap { path, with in with[entry.id].map { (path + [entry.id], $0) } }
        return [own].compactMap(\.self) + others
    }

    private func parameters(at path: [String], _ level: Configuration.Level) -> [ChainListing.Parameter] {
        switch level {
        case .off: [parameter(nil, "off", at: path)]
        case .on(let value):
            value.map?.entries.isEmpty == false
                ? value.map!.entries.map { parameter($0.key, $0.value, at: path + [$0.key]) }
                : [parameter(nil, "on", at: path)]
        }
    }

    private func parameter(_ name: String?, _ value: Value, at path: [String]) -> ChainListing.Parameter {
        let place = document.root.descend(path).node.place
        return ChainListing.Parameter(
            name: name, value: value, file: place.file.path, line: place.line, path: place.path(below: []))
    }
}
