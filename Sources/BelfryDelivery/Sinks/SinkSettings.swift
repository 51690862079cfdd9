import BelfryConfiguration
import BelfryCore
import BelfryEngine
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
        try workspace.checkSinks()
        host = PluginSinkHost(of: workspace)
        let host = host
        var filler = VariableFiller(environment: environment)
        forward = workspace.configuration.forward.map { ForwardSettings(options: filler.filled($0)) }
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
