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
        var levels: [(path: [String], level: Configuration.Level)] = []
        if let own = entry.parameters { levels.append((["chain", String(index), "parameters"], .on(own))) }
        func add(_ with: Configuration.With, _ path: [String]) {
            if let level = with[entry.id] { levels.append((path + ["with", entry.id], level)) }
        }
        for (index, region) in configuration.regions.enumerated() { add(region.with, ["regions", String(index)]) }
        for (index, group) in configuration.groups.enumerated() { add(group.with, ["groups", String(index)]) }
        for (index, campaign) in configuration.campaigns.enumerated() {
            add(campaign.with, ["campaigns", String(index)])
            for (position, trigger) in campaign.triggers.enumerated() {
                add(trigger.with, ["campaigns", String(index), "triggers", String(position)])
            }
        }
        for (index, experiment) in configuration.experiments.enumerated() {
            for (position, variant) in experiment.variants.enumerated() {
                add(variant.with, ["experiments", String(index), "variants", String(position)])
            }
        }
        return levels
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
