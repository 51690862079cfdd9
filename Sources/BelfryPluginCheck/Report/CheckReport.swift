/// One thing that is wrong with a plugin: what it did, why that is wrong, and what to do.
public struct CheckFinding: Sendable, Hashable, Codable {
    public let what: String
    public let why: String
    public let fix: String

    public init(_ what: String, why: String, fix: String) {
        self.what = what
        self.why = why
        self.fix = fix
    }
}

/// What came of one check.
public struct CheckResult: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        case passed
        /// Never empty.
        case failed([CheckFinding])
        /// It concerns nothing that the plugin offers.
        case notApplicable
        /// It says nothing as long as the check of that name fails.
        case notRun(because: String)
    }

    public let check: String
    public let outcome: Outcome

    public var findings: [CheckFinding] {
        if case .failed(let findings) = outcome { findings } else { [] }
    }
}

/// What came of all checks of one plugin.
public struct CheckReport: Sendable, Hashable {
    /// As it was named.
    public let path: String
    /// Of the cases made by chance: the same seed makes the same ones.
    public let seed: UInt64
    public let results: [CheckResult]

    public var isPassed: Bool { results.allSatisfy { $0.findings.isEmpty } }
    /// The checks that failed, in order.
    public var failures: [CheckResult] { results.filter { !$0.findings.isEmpty } }
}
