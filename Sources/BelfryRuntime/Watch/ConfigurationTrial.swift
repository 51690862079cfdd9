import BelfryConfiguration
import BelfryModel
import BelfryPluginHost

/// `belfry config check` in a process of its own: nothing that a new plugin does there harms the run.
package struct ConfigurationTrial: Error, CustomStringConvertible {
    /// What is wrong, as that command says it.
    package let description: String

    private static let deadline = Duration.seconds(60)
    /// All errors of a configuration are told, and a large one may have thousands: what is cut would be no JSON.
    private static let mostOutput = 128 << 20

    /// - Throws: `ConfigurationFailure` if the configuration at `path` is wrong; a value of this type if it could not be checked, or is refused
    ///   for another reason.
    static func run(_ path: String, host: PluginHost) throws {
        let answer = try attempt(path, host.executable, host.environment, ["--json"])
        if answer.status == 0 { return }
        let fields = Value(json: answer.output[...])?.map
        if fields?["refused"] == nil, let failure = ConfigurationFailure(json: fields?["errors"]) { throw failure }
        // In words: why a plugin is not trusted, or whatever else it is.
        let told = try attempt(path, host.executable, host.environment)
        if told.status == 0 { return }
        let report = String(decoding: told.errors, as: UTF8.self)
        throw Self(description: report.last == "\n" ? String(report.dropLast()) : report)
    }

    /// What that command says, and its status. It has said something in any case.
    ///
    /// - Throws: itself, if it came to no end of its own.
    package static func attempt(
        _ path: String, _ executable: String, _ environment: [String: String], _ options: [String] = []
    ) throws(ConfigurationTrial) -> (status: Int32, output: [UInt8], errors: [UInt8]) {
        let result = ChildProcess.run(
            executable, ["config", "check", "--here", "--config", path] + options, environment: environment,
            deadline: deadline, mostOutput: mostOutput)
        guard let result else {
            throw Self("'\(executable)' cannot be started for it: \(lastSystemError())", fix: "reinstall belfry")
        }
        switch result.end {
        case .exited(let status):
            guard !(status == 0 ? result.output : result.output + result.errors).isEmpty else {
                throw Self("the process that checked it ended with status \(status) and without a word")
            }
            return (status, result.output, result.errors)
        case .signalled(let signal):
            throw Self("the process that checked it crashed with signal \(signalName(signal)), most likely in a plugin")
        case .stopped: throw Self("the process that checked it was stopped, most likely by a plugin")
        case .overran: throw Self("the check did not end within \(deadline), most likely because of a plugin")
        case .unknown:
            throw Self(
                "how the process that checked it ended is not known: SIGCHLD is ignored, or something else waited for it",
                fix: "do not ignore SIGCHLD, and wait for no child that Belfry starts")
        }
    }

    private init(description: String) { self.description = description }

    private init(
        _ why: String, fix: String = "take back what was changed last, and report it to the plugin's author"
    ) {
        description = "cannot check the configuration\n  why: \(why)\n  fix: \(fix)"
    }
}
