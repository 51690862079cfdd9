import BelfryEngine

/// A configuration that was read, with the tree it came from.
public struct ConfigurationDocument: Sendable {
    public package(set) var configuration: Configuration
    /// All files in one, `include` resolved; each node knows its own file.
    public let root: ConfigurationNode
    /// The file that was named, as it was named.
    public let path: String

    /// Finds file and line for problems the engine found, in file order.
    ///
    /// A path that leads to something that is not there is placed at the nearest thing above that is.
    public func locate(_ problems: [ConfigurationProblem]) -> ConfigurationFailure {
        let reports = ConfigurationReports()
        for problem in problems { reports.add(problem, below: root) }
        return reports.failure
    }

    /// Whether no item of a list was left out because it is wrong: positions in the configuration are those in the file.
    package var isAligned: Bool {
        func has(_ count: Int, _ node: ConfigurationNode?) -> Bool { count == node?.items?.count ?? 0 }
        let campaigns = root["campaigns"]?.items ?? []
        return has(configuration.chain.count, root["chain"]) && has(configuration.groups.count, root["groups"])
            && has(configuration.regions.count, root["regions"]) && configuration.campaigns.count == campaigns.count
            && zip(configuration.campaigns, campaigns).allSatisfy { has($0.triggers.count, $1["triggers"]) }
    }
}
