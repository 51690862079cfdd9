import BelfryModel

/// The names one list of the configuration defines, for the parts that refer to them.
struct KnownNames {
    /// What one is called: `group`.
    let what: String
    /// In file order.
    let names: [String]
    private let set: Set<String>
    /// False when a file could not be read: then a name that is not here is not wrong for sure, and not reported.
    let isComplete: Bool

    init(_ what: String, _ names: [String], isComplete: Bool) {
        (self.what, self.names, self.set, self.isComplete) = (what, names, Set(names), isComplete)
    }

    func contains(_ name: String) -> Bool { set.contains(name) }

    /// A name that has to be one of these.
    var reference: Rule<String> {
        Rule<String>.name.then { name, node, reports in
            if contains(name) || !isComplete { return name }
            report(name, at: node.place, reports)
            return nil
        }
    }

    func report(_ name: String, at place: Place, _ reports: ConfigurationReports) {
        reports.add(
            at: place, found: "the unknown \(what) '\(name)'", expected: expected,
            fix: nearestMatch(to: name, among: names).map { "did you mean '\($0)'?" })
    }

    /// A long list does not help: of more than a dozen only the number is said.
    private var expected: String {
        switch names.count {
        case 0: "a \(what), but the configuration has none"
        case 1...12: "one of \(names.joined(separator: ", "))"
        default: "one of the \(names.count) \(what)s of the configuration"
        }
    }
}
