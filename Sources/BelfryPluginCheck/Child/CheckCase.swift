import BelfryEngine
import BelfryModel
import BelfryPluginHost
import CBelfry
import CLinux

/// What one check in its child process has to work on.
final class CheckCase {
    /// The private copy.
    let path: String
    let options: CheckOptions
    let services: HostServices

    init(path: String, options: CheckOptions, services: HostServices) {
        self.path = path
        self.options = options
        self.services = services
    }

    /// The plugin, loaded and set up, with clock and dice stopped: what depends on them is found by one check, not by chance in all.
    ///
    /// - Parameters:
    ///   - copy: another copy of the file, which makes another plugin in this process.
    ///   - isFrozen: false: clock and dice go on.
    func load(
        copy: String? = nil, host: UnsafePointer<belfry_host>? = nil, isFrozen: Bool = true
    ) throws(PluginRefusal) -> LoadedPlugin {
        Step.begin("its loading")
        var roster = PluginRoster()
        let plugin = try PluginLibrary.load(
            copy: copy ?? path, path: path, HostPointers(host ?? services.pointer), roster: &roster)
        guard isFrozen else { return plugin }
        // Not to call it, but as an address inside the image.
        belfry_freeze_world(unsafeBitCast(plugin.root.pointee.get_extension, to: UnsafeRawPointer.self))
        return plugin
    }
}

/// How the checks are made.
public struct CheckOptions: Sendable, Codable {
    /// Of everything that is made by chance.
    public var seed: UInt64
    /// How many cases `fuzz` makes.
    public var fuzz = 1000
    /// Parameters to try strategies, filters and sinks with, in place of those made from their description.
    public var parameters: JSONValue?
    /// The path of a configuration, and the parameters that its chain has for strategies and filters, by their names: those are tried first.
    public var configuration: String?
    public var configured: [String: [Value]] = [:]

    /// Set by `determinism` for the process that it compares itself with.
    var isTwin: Bool?

    public init(seed: UInt64) { self.seed = seed }

    // What a configuration has may be too much for an argument: each process reads it.
    private enum CodingKeys: CodingKey { case seed, fuzz, parameters, configuration, isTwin }
}

/// What is going on in this process, for its last words.
enum Step {
    /// How long a step may take; far beyond what a hook needs, so that a busy machine is no hang.
    static let deadline: UInt32 = 5

    /// Those in which the plugin is loaded and set up, before any hook is called.
    static let whileLoading: Set = [
        "its constructors", "its entry function", "init", "get_extension", "its loading",
    ]

    static func begin(_ name: String, seconds: UInt32 = deadline) {
        var name = name
        name.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { belfry_begin_step($0.baseAddress, $0.count, seconds) }
        }
    }
}
