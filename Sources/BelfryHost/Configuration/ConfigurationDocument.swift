import BelfryEngine

/// A configuration that was read, with the tree it came from.
public struct ConfigurationDocument: Sendable {
    public let configuration: Configuration
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
}
