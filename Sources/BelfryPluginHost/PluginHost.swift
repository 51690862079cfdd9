import BelfryEngine
import CLinux

/// What plugins meet in this process, whichever configuration asks for them: where their private copies are, which of them are
/// loaded, and what the host offers them.
///
/// A run has one, and every configuration it reloads is made with it.
public final class PluginHost: Sendable {
    /// This belfry, which scans plugins in processes of their own.
    package let executable: String
    package let environment: [String: String]
    package let copies: PrivateCopies
    package let services: HostServices
    package let library: PluginLibrary

    /// - Parameters:
    ///   - copies: where private copies are; nil: where the environment says.
    ///   - log: what plugins have to say, on any thread.
    public init(
        executable: String, environment: [String: String], copies: String? = nil,
        log: @escaping HostServices.Log
    ) throws(PluginRefusal) {
        self.executable = executable
        self.environment = environment
        self.copies =
            if let copies { try PrivateCopies(folder: copies) } else { try PrivateCopies(environment: environment) }
        services = HostServices(
            version: belfryVersion, zones: .system(environment: environment), log: log,
            noteLifecycle: {
                belfry_note_lifecycle($0?.plugin, $0?.entry, $0?.hook == .destroy ? BELFRY_DESTROY : BELFRY_CREATE)
            })
        library = PluginLibrary(services)
    }

    package func scanner(_ policy: TrustPolicy) -> PluginScanner {
        PluginScanner(executable: executable, copies: copies, policy: policy, hostVersion: belfryVersion)
    }

    /// Whether a plugin lies in the folder of the executable, and so came with it.
    package func isBundled(_ plugin: ScannedPlugin) -> Bool { PluginFile.folder(ofFile: plugin.path) == bundledFolder }

    /// What has to be read after plugins are loaded: their copies, and the rules of time zones.
    package var readableFolders: [String] { [copies.folder, ZoneDirectory.systemFolder(environment: environment)] }

    /// The folder of this belfry, with which the plugins in it are trusted.
    package var bundledFolder: String { PluginFile.folder(ofFile: executable) }

    /// Where plugins are looked for unless the configuration says.
    package var defaultSearch: PluginSearch { PluginSearch(executable: executable, environment: environment) }
}
