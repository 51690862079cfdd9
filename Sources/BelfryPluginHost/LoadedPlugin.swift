import CBelfry

/// A plugin that passed every check and whose `init` has run. Its tables are constant until the process ends.
///
/// It is never unloaded, and stays set up: `deinit` is for a plugin that no call will reach any more, and a version that was
/// replaced may come back.
public struct LoadedPlugin: Sendable {
    public let id: String
    public let version: String
    /// The file as it was found, not its private copy.
    public internal(set) var path: String
    /// `sha256:…` of the file, and who has signed it; nil where nobody asked.
    public internal(set) var digest: String?
    public internal(set) var signer: String?
    // Constant data of an image that stays in the process for ever: any thread may read it at any time.
    public nonisolated(unsafe) let strategies: [UnsafePointer<belfry_strategy>]
    public nonisolated(unsafe) let filters: [UnsafePointer<belfry_filter>]
    public nonisolated(unsafe) let actions: [UnsafePointer<belfry_action>]
    public nonisolated(unsafe) let sinks: [UnsafePointer<belfry_sink_type>]
    public nonisolated(unsafe) let receipts: [UnsafePointer<belfry_receipt_hook>]
    /// Nil where every strategy is told of every outcome.
    public nonisolated(unsafe) let outcomes: UnsafePointer<belfry_outcomes>?
    /// Each image has its own.
    package nonisolated(unsafe) let root: UnsafePointer<belfry_plugin>

    init(
        id: String, version: String, path: String, root: UnsafePointer<belfry_plugin>,
        strategies: [UnsafePointer<belfry_strategy>], filters: [UnsafePointer<belfry_filter>],
        actions: [UnsafePointer<belfry_action>], sinks: [UnsafePointer<belfry_sink_type>],
        receipts: [UnsafePointer<belfry_receipt_hook>], outcomes: UnsafePointer<belfry_outcomes>?
    ) {
        self.id = id
        self.version = version
        self.path = path
        self.root = root
        self.strategies = strategies
        self.filters = filters
        self.actions = actions
        self.sinks = sinks
        self.receipts = receipts
        self.outcomes = outcomes
    }

    /// The names by which a chain may call its strategies and filters.
    var chainNames: [String] {
        strategies.compactMap { $0.pointee.name.string } + filters.compactMap { $0.pointee.name.string }
    }
}
