import BelfryCore
import BelfryModel
import BelfryPluginHost

/// 'belfry plugins check' of a plugin that is about to be taken, with the parameters that it is going to have.
struct PluginTrial {
    private let plugin: ScannedPlugin
    private let configuration: String
    private let host: PluginHost

    private static let deadline = Duration.minutes(5)

    init(_ plugin: ScannedPlugin, in workspace: Workspace) {
        (self.plugin, host, configuration) = (plugin, workspace.host, workspace.document.path)
    }

    /// - Throws: `UnfitPlugin`.
    func run() throws(UnfitPlugin) {
        guard let copy = plugin.copy else { return }
        let arguments = [
            "plugins", "check", copy, "--config", configuration, "--json", "--seed", "1", "--no-deliveries",
        ]
        let result = ChildProcess.run(
            host.executable, arguments, environment: host.environment, deadline: Self.deadline)
        guard let result, let report = Value(json: result.output[...])?.map else {
            throw unfit("'belfry plugins check' came to no end")
        }
        guard report["passed"] != .bool(true) || ![.exited(0), .unknown].contains(result.end) else { return }
        throw unfit("'belfry plugins check' found: " + findings(report).joined(separator: "; "))
    }

    private func findings(_ report: Fields) -> [String] {
        let checks = (report["plugins"]?.list ?? []).flatMap { $0.map?["checks"]?.list ?? [] }
        return checks.compactMap(\.map).flatMap { check in
            (check["findings"]?.list ?? []).compactMap { finding in
                guard let name = check["check"]?.text, let finding = finding.map else { return nil }
                return "\(name): \(finding["what"]?.text ?? ""), since \(finding["why"]?.text ?? "")"
            }
        }
    }

    private func unfit(_ why: String) -> UnfitPlugin {
        UnfitPlugin(
            plugin, why, fix: "'belfry plugins check \(plugin.path)' says all of it; put a plugin there that passes")
    }
}
