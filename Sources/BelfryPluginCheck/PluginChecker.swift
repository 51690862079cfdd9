import BelfryModel
import BelfryPluginHost
import Foundation

/// Tries the checks of a plugin one by one, each in a child process with a deadline, so that none spoils another.
public struct PluginChecker: Sendable {
    private let executable: String
    private let environment: [String: String]
    private let copies: PrivateCopies
    private let deadline: Duration

    /// - Parameters:
    ///   - executable: run as `executable plugins check-one …`; that subcommand calls `PluginCheck.runInThisProcess`.
    ///   - deadline: how long one check may take.
    public init(
        executable: String, environment: [String: String] = ProcessInfo.processInfo.environment, copies: PrivateCopies,
        deadline: Duration = .minutes(2)
    ) {
        self.executable = executable
        self.environment = environment
        self.copies = copies
        self.deadline = deadline
    }

    /// - Parameters:
    ///   - checks: in an order in which each stands behind those that it needs.
    ///   - progress: is told how many checks are done, after each.
    public func check(
        _ path: String, _ options: CheckOptions, checks: [PluginCheck] = PluginCheck.all,
        progress: (Int) -> Void = { _ in }
    ) -> CheckReport {
        let copy = Result { () throws(PluginRefusal) in try copyOfPlugin(at: path) }
        var results: [CheckResult] = []
        for check in checks {
            results.append(CheckResult(check: check.id, outcome: outcome(of: check, copy, after: results, options)))
            progress(results.count)
        }
        return CheckReport(path: path, seed: options.seed, results: results)
    }

    private func outcome(
        of check: PluginCheck, _ copy: Result<String, PluginRefusal>, after done: [CheckResult], _ options: CheckOptions
    ) -> CheckResult.Outcome {
        let missing = done.first { check.needs.contains($0.check) && !$0.isOpen }
        if let missing { return .notRun(because: missing.obstacle) }
        switch copy {
        case .failure(let refusal): return .failed(refusal.findings)
        case .success(let copy): return run(check, copy, options)
        }
    }

    private func copyOfPlugin(at path: String) throws(PluginRefusal) -> String {
        if let file = try PluginFile(path: path, inside: nil) {
            try file.checkKind()
            return try copies.copy(of: file).path
        }
        throw .noPlugin(path)
    }

    private func run(_ check: PluginCheck, _ copy: String, _ options: CheckOptions) -> CheckResult.Outcome {
        guard let options = try? JSONEncoder().encode(options) else {
            return .failed([.noAnswer("the options are no JSON")])
        }
        let result = ChildProcess.run(
            executable, ["plugins", "check-one", check.id, copy, String(decoding: options, as: UTF8.self)],
            environment: environment, deadline: deadline)
        guard let result else { return .failed([.noAnswer("'\(executable)' cannot be started: \(lastSystemError())")]) }
        if let words = LastWords(result.output) { return .failed([words.finding]) }
        switch try? JSONDecoder().decode(CheckAnswer.self, from: Data(result.output)) {
        case .findings(let findings): return findings.isEmpty ? .passed : .failed(findings)
        case .notApplicable: return .notApplicable
        case nil: return .failed([result.end == .stopped ? .stopped : .ended(result.end.sentence(deadline))])
        }
    }
}

extension CheckResult {
    /// Whether checks that need this one can be tried.
    fileprivate var isOpen: Bool { outcome == .passed || outcome == .notApplicable }

    /// The check that failed in the first place.
    fileprivate var obstacle: String {
        if case .notRun(let because) = outcome { because } else { check }
    }
}

extension CheckFinding {
    fileprivate static func noAnswer(_ why: String) -> CheckFinding {
        CheckFinding("the check could not be made", why: why, fix: "reinstall belfry")
    }

    fileprivate static let stopped = CheckFinding(
        "it stopped its process before the check was done", why: "the process was sent SIGSTOP",
        fix: "find out what it does to the process that it lives in; it may not stop it")

    fileprivate static func ended(_ why: String) -> CheckFinding {
        CheckFinding(
            "it ended the process before the check was done", why: why,
            fix: "find out what it does to the process that it lives in; it may not end it")
    }
}

extension ChildProcess.End {
    fileprivate func sentence(_ deadline: Duration) -> String {
        switch self {
        case .exited(let status): "the process ended with status \(status)"
        case .signalled(let signal): "the process was ended by \(signalName(signal))"
        case .overran: "it took more than \(deadline)"
        case .stopped: "the process was stopped"
        case .unknown: "how the process ended is not known: SIGCHLD is ignored, or something else waited for it"
        }
    }
}
