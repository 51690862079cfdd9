import BelfryCore
import BelfryModel
import BelfryPluginHost

/// `belfry config check` in a process of its own: nothing that a new plugin does there harms the run.
struct ConfigurationTrial: Error, CustomStringConvertible {
    /// What is wrong, as that command says it.
    let description: String

    private static let deadline = Duration.seconds(60)

    /// - Throws: itself, if the configuration at `path` is wrong, or could not be checked.
    static func run(_ path: String, host: PluginHost) throws(ConfigurationTrial) {
        var environment = host.environment
        // Drawing a backtrace takes its time; a crash must look like one.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let result = ChildProcess.run(
            host.executable, ["config", "check", "--config", path], environment: environment, deadline: deadline)
        guard let result else {
            throw Self("'\(host.executable)' cannot be started for it: \(lastSystemError())", fix: "reinstall belfry")
        }
        switch result.end {
        case .exited(0): return
        case .exited(let status):
            let report = String(decoding: result.errors, as: UTF8.self)
            throw report.isEmpty
                ? Self("the process that checked it ended with status \(status) and without a word")
                : Self(description: report.last == "\n" ? String(report.dropLast()) : report)
        case .signalled(let signal):
            throw Self("the process that checked it crashed with signal \(signalName(signal)), most likely in a plugin")
        case .overran: throw Self("the check did not end within \(deadline), most likely because of a plugin")
        }
    }

    private init(description: String) { self.description = description }

    private init(
        _ why: String, fix: String = "take back what was changed last, and report it to the plugin's author"
    ) {
        description = "cannot check the configuration\n  why: \(why)\n  fix: \(fix)"
    }
}

/// Checks a configuration in a process of its own, before it gets into this one.
///
/// - Throws: what is wrong, as `belfry config check` says it.
public func checkInChild(_ workspace: Workspace) throws {
    try ConfigurationTrial.run(workspace.document.path, host: workspace.host)
}
