import BelfryEngine

/// Collects what is wrong while the configuration is read on, so that all of it is reported at once.
final class ConfigurationReports {
    /// Values that have no meaning: what a reader would say about them is only a consequence.
    private var unreadable: Set<ObjectIdentifier> = []
    /// Items of lists that are not in the configuration, by their places.
    private(set) var leftOut: Set<ObjectIdentifier> = []
    private var entries: [(order: (Int, Int, Int), report: ConfigurationFailure.Report)] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Notes something at `place`, or below it where `rest` leads nowhere.
    func add(at place: Place, below rest: [String] = [], found: String, expected: String, fix: String? = nil) {
        guard !unreadable.contains(ObjectIdentifier(place)) else { return }
        let report = ConfigurationFailure.Report(
            file: place.file.path, line: place.line, column: place.column, path: place.path(below: rest),
            found: found, expected: expected, fix: fix)
        entries.append(((place.file.order, place.line, place.column), report))
    }

    /// Notes that a value is something else than expected.
    ///
    /// - Parameter found: nil: the value.
    /// - Returns: nil, which is what is read.
    func refuse<Result>(
        _ node: ConfigurationNode, found: String? = nil, expected: String, fix: String? = nil
    ) -> Result? {
        add(at: node.place, found: found ?? node.found, expected: expected, fix: fix)
        return nil
    }

    /// Notes that an item of a list is not in the configuration, because it is wrong. The node has to outlive the reports.
    func leaveOut(_ node: ConfigurationNode) { leftOut.insert(ObjectIdentifier(node.place)) }

    /// Notes that the value at `place` cannot be had; nothing more is noted there. The place has to outlive the reports.
    func addUnreadable(at place: Place, found: String, expected: String, fix: String) {
        add(at: place, found: found, expected: expected, fix: fix)
        unreadable.insert(ObjectIdentifier(place))
    }

    /// Notes something about a file as a whole.
    func add(file: ConfigurationFile, found: String, expected: String, fix: String? = nil) {
        let report = ConfigurationFailure.Report(
            file: file.path, path: "", found: found, expected: expected, fix: fix)
        entries.append(((file.order, 0, 0), report))
    }

    /// Notes a problem whose path begins at `node`.
    func add(_ problem: ConfigurationProblem, below node: ConfigurationNode) {
        let (nearest, rest) = node.descend(problem.path)
        add(
            at: nearest.place, below: rest, found: problem.found, expected: problem.expected, fix: problem.fix
        )
    }

    /// Everything in file order; of one place, in the order of discovery.
    var failure: ConfigurationFailure {
        let sorted = entries.enumerated().sorted { left, right in
            left.element.order == right.element.order
                ? left.offset < right.offset : left.element.order < right.element.order
        }
        return ConfigurationFailure(reports: sorted.map(\.element.report))
    }
}
