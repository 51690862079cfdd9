import ArgumentParser
import BelfryEngine
import BelfryHost
import Foundation

/// Which configuration a command works on.
struct ConfigurationOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "file"))
    var config = Self.defaultConfig

    private static let defaultConfig = "belfry.yaml"

    /// The plugins of the configuration; without a file of the default name, those in the default folders.
    func plugins() throws -> PluginCatalog {
        let isThere = FileManager.default.fileExists(atPath: config)
        return config == Self.defaultConfig && !isThere ? try Workspace.bundledPlugins() : try workspace().plugins
    }

    func workspace() throws -> Workspace {
        let log = PluginLog()
        return try Workspace(path: config, log: log.write)
    }
}

struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print JSON, for machines.")
    var isWanted = false
}
