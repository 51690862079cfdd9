import ArgumentParser
import BelfryDelivery
import BelfryEngine
import BelfryPluginHost

/// What is started for each sink whose type a plugin has.
struct SinkProcessCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "__sink", abstract: "Has one plugin deliver decisions.", shouldDisplay: false)

    /// Not read: it shows in a list of processes which plugin this one runs.
    @Argument var plugin: String

    func run() throws {
        SinkProcess.run(host: HostServices(version: belfryVersion, zones: .system(), log: PluginLog().write))
    }
}
