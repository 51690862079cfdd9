import BelfryCore
import BelfryEngine

/// What shards decide by, and where they do.
public enum DecisionSource: Sendable {
    /// In threads of this process, which has loaded the plugins.
    case threads(Workspace.Loaded)
    /// In processes that can be thrown away.
    case processes(Zygote)

    var configuration: Configuration {
        switch self {
        case .threads(let loaded): loaded.catalog.configuration
        case .processes(let zygote): zygote.configuration
        }
    }

    /// What the differences of records refer to.
    var names: [UInt8] {
        switch self {
        case .threads(let loaded): loaded.catalog.services.states.bytes
        case .processes(let zygote): zygote.names
        }
    }

    /// What is said of whatever this decides; nil where that is not known.
    var provenance: Provenance? {
        switch self {
        case .threads(let loaded): loaded.provenance
        case .processes(let zygote): zygote.provenance
        }
    }

    /// Loads the plugins of a configuration.
    ///
    /// - Throws: `ConfigurationFailure`, `MissingActions`, `PluginRefusal` or `ZygoteRefusal`.
    public init(_ workspace: Workspace, _ isolation: Configuration.Isolation) throws {
        self = isolation == .thread ? .threads(try workspace.load()) : .processes(try Zygote(workspace))
    }

    public var isolation: Configuration.Isolation {
        switch self {
        case .threads: .thread
        case .processes: .process
        }
    }

    /// What is no error and still worth a line.
    public func remarks(of workspace: Workspace) -> [String] {
        switch self {
        case .threads(let loaded): workspace.remarks(on: loaded)
        case .processes(let zygote): zygote.remarks
        }
    }
}

extension Workspace {
    /// Where the plugins of the chain are to run.
    public var isolation: Configuration.Isolation {
        configuration.isolation ?? (foreignEntries.isEmpty ? .thread : .process)
    }
}
