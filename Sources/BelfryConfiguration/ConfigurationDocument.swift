import BelfryEngine

/// A configuration that was read, with the tree it came from.
public struct ConfigurationDocument: Sendable {
    public package(set) var configuration: Configuration
    /// All files in one, `include` resolved; each node knows its own file.
    public let root: ConfigurationNode
    /// The same without items of lists that are wrong: positions there are those in the configuration.
    let kept: ConfigurationNode
    /// The file that was named, as it was named.
    public let path: String

    /// Finds file and line for problems the engine found, in file order.
    ///
    /// A path that leads to something that is not there is placed at the nearest thing above that is.
    public func locate(_ problems: [ConfigurationProblem]) -> ConfigurationFailure {
        let reports = ConfigurationReports()
        for problem in problems { reports.add(problem, below: kept) }
        return reports.failure
    }

    /// Whether nothing was left out, because it is wrong, that campaigns refer to.
    package var hasAllReferences: Bool {
        [
            ("chain", configuration.chain.count), ("groups", configuration.groups.count),
            ("regions", configuration.regions.count),
        ].allSatisfy { $1 == root[$0]?.items?.count ?? 0 }
    }
}
