import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryPluginHost

/// Starts the processes in which plugins deliver. None of these plugins is loaded into this one.
struct PluginSinkHost: Sendable {
    private let executable: String
    private let environment: [String: String]
    private let plugins: PluginCatalog

    init(of workspace: Workspace) {
        (executable, plugins) = (workspace.host.executable, workspace.plugins)
        environment = workspace.host.environment.withoutBacktraces
    }

    /// The sink, which is another one as soon as its plugin is.
    func marked(_ sink: Configuration.Sink) -> Configuration.Sink {
        guard case .plugin(let plugin) = sink.target, let copy = plugins.provider(ofSink: plugin.type)?.plugin.copy
        else { return sink }
        var sink = sink
        sink.document = [sink.document, .text(copy)]
        return sink
    }

    /// How the process for a sink is started: from the private copy that was admitted when the plugin was scanned.
    func launch(_ sink: Configuration.Sink.Plugin, timeout: Duration, in folder: String) -> Program.Launch {
        // The configuration was held against the plugins.
        let plugin = plugins.provider(ofSink: sink.type)?.plugin
        let id = plugin?.manifest?.id ?? sink.type
        let greeting = SinkGreeting(
            path: plugin?.path ?? "", copy: plugin?.copy ?? "", type: sink.type, timeout: timeout,
            parameters: sink.parameters)
        return Program.Launch(
            address: "plugin '\(id)'", executable: executable, arguments: ["__sink", id], environment: environment,
            folder: folder, greeting: greeting.line, end: Self.words)
    }

    private static func words(_ status: Int32) -> String {
        let signal = status & 0x7F
        return signal == 0
            ? "ended its process with status \(status >> 8 & 0xFF), before it had answered"
            : "crashed with signal \(signalName(signal))"
    }
}

/// The first line that a process gets: what it is to load, and with what it delivers.
///
/// Parameters may be secrets, which every user could read among the arguments of a process.
struct SinkGreeting {
    /// The file as it was found, and the private copy that is loaded.
    var path: String
    var copy: String
    var type: String
    var timeout: Duration
    var parameters: Value?

    var line: [UInt8] {
        let fields: Value = [
            "path": .text(path), "copy": .text(copy), "type": .text(type), "timeout": .integer(timeout.milliseconds),
            "parameters": parameters ?? .null,
        ]
        return Array(fields.json.utf8)
    }
}

extension SinkGreeting {
    /// Nil if it is none.
    init?(_ line: [UInt8]) {
        guard let fields = Value(json: line[...])?.map, let path = fields["path"]?.text,
            let copy = fields["copy"]?.text,
            let type = fields["type"]?.text, let timeout = fields["timeout"]?.integer
        else { return nil }
        let parameters = fields["parameters"].flatMap { $0 == .null ? nil : $0 }
        self.init(
            path: path, copy: copy, type: type, timeout: Duration(milliseconds: timeout), parameters: parameters)
    }
}
