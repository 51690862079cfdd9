extension CheckReport: CustomStringConvertible {
    /// A line for each check, then every finding in full.
    public var description: String {
        let width = results.map(\.check.count).max() ?? 0
        let lines = results.map { result in
            let name = result.check + String(repeating: " ", count: width - result.check.count)
            return "  \(result.mark) \(name)  \(result.remark)"
        }
        return ([path] + lines + failures.flatMap(\.paragraphs) + ["", verdict]).joined(separator: "\n")
    }

    private var verdict: String {
        let passed = results.count { $0.outcome == .passed }
        let what = isPassed ? "passed: \(passed)" : "failed: \(failures.count) of \(results.count)"
        let count = isPassed ? passed : results.count
        return "\(what) \(count == 1 ? "check" : "checks"), seed \(seed)"
    }
}

extension CheckResult {
    fileprivate var mark: String {
        switch outcome {
        case .passed: "✓"
        case .failed: "✗"
        case .notApplicable, .notRun: "–"
        }
    }

    fileprivate var remark: String {
        switch outcome {
        case .passed, .failed: PluginCheck.named(check)?.summary ?? ""
        case .notApplicable: "not applicable: it concerns nothing that this plugin offers"
        case .notRun(let needed): "not run: '\(needed)' has to pass first"
        }
    }

    fileprivate var paragraphs: [String] {
        findings.map { "\n\(check): \($0.what)\n  why: \($0.why)\n  fix: \($0.fix)" }
    }
}
