import ArgumentParser
import BelfryRuntime

/// What a run starts when plugins get processes of their own.
struct ZygoteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "__zygote", abstract: "Loads plugins, and forks processes that decide.", shouldDisplay: false)

    func run() throws { ZygoteMain.run(log: PluginLog(shared: SharedLines()).write) }
}
