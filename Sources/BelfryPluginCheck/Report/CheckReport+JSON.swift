import BelfryModel

extension CheckReport {
    /// For machines; `status` is `passed`, `failed`, `not-applicable` or `not-run`.
    public var value: Value {
        [
            "file": .text(path), "passed": .bool(isPassed), "seed": .text("\(seed)"),
            "checks": .list(results.map(\.value)),
        ]
    }
}

extension CheckResult {
    fileprivate var value: Value {
        var fields: Fields = ["check": .text(check), "status": .text(status)]
        if case .notRun(let needed) = outcome { fields["needs"] = .text(needed) }
        if !findings.isEmpty { fields["findings"] = .list(findings.map(\.value)) }
        return .map(fields)
    }

    private var status: String {
        switch outcome {
        case .passed: "passed"
        case .failed: "failed"
        case .notApplicable: "not-applicable"
        case .notRun: "not-run"
        }
    }
}

extension CheckFinding {
    fileprivate var value: Value { ["what": .text(what), "why": .text(why), "fix": .text(fix)] }
}
