import ArgumentParser
import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryPluginHost
import BelfryRuntime
import BelfryStore
import Foundation

/// Which configuration a command works on.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config = Self.defaultConfig

    private static let defaultConfig = "belfry.yaml"

    /// The plugins of the configuration; without a file of the default name, those in the default folders.
    func plugins() throws -> PluginCatalog {
        isDefaultAndMissing ? try Workspace.bundledPlugins() : try workspace().plugins
    }

    /// No file was named, and there is none of the default name.
    var isDefaultAndMissing: Bool {
        config == Self.defaultConfig && !FileManager.default.fileExists(atPath: config)
    }

    /// The configuration with its plugins loaded; says what the lock has against others.
    func loaded() throws -> (workspace: Workspace, loaded: Workspace.Loaded) {
        let workspace = try workspace()
        let loaded = try workspace.load()
        for remark in workspace.trustRemarks { Console.say(remark) }
        return (workspace, loaded)
    }

    /// The same where plugins are to run as the configuration says.
    func source() throws -> (workspace: Workspace, source: DecisionSource) {
        let workspace = try workspace()
        let source = try DecisionSource(workspace, workspace.isolation)
        for remark in workspace.trustRemarks { Console.say(remark) }
        return (workspace, source)
    }

    /// The configuration alone, for what concerns the files beside it.
    func document() throws -> ConfigurationDocument { try ConfigurationReader.read(path: config) }

    func workspace() throws -> Workspace {
        let log = PluginLog()
        return try Workspace(path: config, log: log.write)
    }
}

extension Configuration.Isolation: ExpressibleByArgument {}

struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, for machines.")
    var isWanted = false
}

/// The same where there is no other form, so that `--json` goes with whatever prints something.
struct AlwaysJSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "As JSON, which it is in any case.")
    var isWanted = false
}

/// Arguments that several commands take.
enum Arguments {
    static let untilHelp = ArgumentHelp(
        "When the input ends, let time pass until then, so that timers fire (RFC 3339).", valueName: "time")
    static let rejectsHelp = ArgumentHelp(
        "A file for rejected lines, which is appended to. Default: standard error.", valueName: "file")
    static let storeHelp = ArgumentHelp(
        "The store in place of the configured one: \(StoreLocation.forms).", valueName: "url")
    static let isolationHelp = ArgumentHelp(
        "Where plugins run: in threads of this process, or in processes that a faulty one may take with it.",
        discussion: "Default: as configured, else process if a plugin of the chain is not bundled.",
        valueName: "where")

    static func instant(_ text: String) throws -> Instant {
        if let instant = Instant(rfc3339: text) { return instant }
        if let (missing, whole) = Instant.completion(of: text) {
            throw ValidationError("'\(text)' has no \(missing); write for example \(whole)")
        }
        throw ValidationError("'\(text)' is no RFC 3339 date-time; write for example 2026-03-03T00:00:00Z")
    }

    static func size(_ text: String) throws -> ByteSize {
        guard let size = ByteSize(text: text) else {
            throw ValidationError("'\(text)' is no size; write a whole number with its unit, for example 256MiB")
        }
        return size
    }
}
