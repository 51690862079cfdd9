import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import Foundation

/// The sinks of a configuration, ready to be used: with the values of their variables, and where their files are.
public struct SinkSettings: Sendable {
    let forward: ForwardSettings?
    let sinks: [Configuration.Sink]
    let campaigns: [Configuration.Campaign]
    /// What files and programs are relative to.
    let folder: String
    /// What the processes of plugins are started with.
    private let host: PluginSinkHost

    public var isEmpty: Bool { sinks.isEmpty && forward == nil }

    /// What cannot outlive a store in memory, as beginnings of sentences.
    public var losses: [String] {
        (forward == nil ? [] : ["what is not forwarded"]) + (sinks.isEmpty ? [] : ["what a sink has not taken"])
    }

    private init(_ sinks: [Configuration.Sink], of settings: SinkSettings) {
        (forward, self.sinks) = (nil, sinks)
        (campaigns, folder, host) = (settings.campaigns, settings.folder, settings.host)
    }

    /// One of them alone; nil if there is none of that id.
    func only(_ id: String) -> SinkSettings? {
        sinks.first { $0.id == id }.map { SinkSettings([$0], of: self) }
    }

    /// - Throws: `ConfigurationFailure` for every variable that is not set, or has no key in it, and what `Workspace.checkSinks` throws.
    public init(
        of workspace: Workspace, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        forward = try ForwardSettings(of: workspace, environment: environment)
        try workspace.checkSinks()
        host = PluginSinkHost(of: workspace)
        let host = host
        var filler = VariableFiller(environment: environment)
        sinks = workspace.configuration.sinks.enumerated().map { index, sink in
            host.marked(filler.filled(sink, ["sinks", String(index)]))
        }
        if !filler.problems.isEmpty { throw workspace.document.locate(filler.problems) }
        (campaigns, folder) = (workspace.configuration.campaigns, workspace.document.folder)
    }

    func program(of sink: Configuration.Sink, _ plugin: Configuration.Sink.Plugin) -> Program {
        Program(host.launch(plugin, timeout: sink.timeout, in: folder), timeout: sink.timeout)
    }

    func path(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}

/// Puts the values of variables into what sinks are configured with.
private struct VariableFiller {
    let environment: [String: String]
    var problems: [ConfigurationProblem] = []

    /// - Parameter path: where the sink is in the configuration.
    mutating func filled(_ sink: Configuration.Sink, _ path: [String]) -> Configuration.Sink {
        var sink = sink
        switch sink.target {
        case .webhook(var webhook):
            webhook.secret = webhook.secret.flatMap { secret($0, path + ["secret"]) }
            for (index, header) in webhook.headers.enumerated() {
                webhook.headers[index].value = filled(header.value, path + ["headers", header.name])
            }
            sink.target = .webhook(webhook)
        case .ntfy(var ntfy):
            ntfy.token = ntfy.token.map { filled($0, path + ["token"]) }
            sink.target = .ntfy(ntfy)
        case .webPush(var push):
            push.key = vapidKey(push.key, path + ["vapid", "key"])
            sink.target = .webPush(push)
        case .plugin(var plugin):
            plugin.parameters = plugin.parameters.map { filled($0, path + ["parameters"]) }
            sink.target = .plugin(plugin)
        case .exec, .file, .desktop: break
        }
        return sink
    }

    /// With every text in it filled.
    private mutating func filled(_ value: Value, _ path: [String]) -> Value {
        switch value {
        case .text(let text): .text(filled(text, path))
        case .list(let items):
            .list(items.enumerated().map { index, item in filled(item, path + [String(index)]) })
        case .map(let fields): .map(Fields(fields.entries.map { ($0.key, filled($0.value, path + [$0.key])) }))
        default: value
        }
    }

    private mutating func filled(_ text: String, _ path: [String]) -> String {
        do throws(MissingVariable) {
            return try HeaderText(text)?.filled(from: environment) ?? text
        } catch {
            problems.append(
                ConfigurationProblem(
                    path: path, found: "the variable '\(error.name)', which is not set",
                    expected: "its value in the environment", fix: "export \(error.name)=… where belfry runs"))
            return ""
        }
    }

    private mutating func secret(_ text: String, _ path: [String]) -> String? {
        let text = filled(text, path)
        if text.isEmpty || WebhookKeys(text) != nil { return text }
        problems.append(
            ConfigurationProblem(
                path: path, found: "a variable with something else",
                expected: "a key such as whsec_… in Base64, or two with a space between",
                fix: "make one: echo whsec_$(openssl rand -base64 32)"))
        return nil
    }

    private mutating func vapidKey(_ text: String, _ path: [String]) -> String {
        let text = filled(text, path)
        if text.isEmpty || VapidKey(text) != nil { return text }
        problems.append(
            ConfigurationProblem(
                path: path, found: "a variable with something else",
                expected: VapidKey.expected, fix: VapidKey.fix))
        return ""
    }
}
