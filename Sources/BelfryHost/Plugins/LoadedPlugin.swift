import CBelfry
import Synchronization

/// A plugin that passed every check and whose `init` has run. Its tables are constant until the process ends.
///
/// It is never unloaded. `retire()` ends its use; the code and the tables stay.
public final class LoadedPlugin: Sendable {
    public let id: String
    public let version: String
    /// The file as it was found, not its private copy.
    public let path: String
    // Constant data of an image that stays in the process for ever: any thread may read it at any time.
    public nonisolated(unsafe) let strategies: [UnsafePointer<belfry_strategy>]
    public nonisolated(unsafe) let filters: [UnsafePointer<belfry_filter>]
    public nonisolated(unsafe) let actions: [UnsafePointer<belfry_action>]
    nonisolated(unsafe) let root: UnsafePointer<belfry_plugin>
    private let isRetired = Mutex(false)

    init(
        id: String, version: String, path: String, root: UnsafePointer<belfry_plugin>,
        strategies: [UnsafePointer<belfry_strategy>], filters: [UnsafePointer<belfry_filter>],
        actions: [UnsafePointer<belfry_action>]
    ) {
        self.id = id
        self.version = version
        self.path = path
        self.root = root
        self.strategies = strategies
        self.filters = filters
        self.actions = actions
    }

    /// Tells the plugin that the host will not call again. Every instance and every state must be gone. A
    /// second call does nothing.
    public func retire() {
        let isFirst = isRetired.withLock { isRetired in
            defer { isRetired = true }
            return !isRetired
        }
        if isFirst { root.pointee.deinit?() }
    }

    /// The names by which a chain may call its strategies and filters.
    var chainNames: [String] {
        strategies.compactMap { $0.pointee.name.string } + filters.compactMap { $0.pointee.name.string }
    }
}
