import BelfryModel
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
    /// `sha256:…` of the file, and who has signed it; nil where that was not asked for.
    public internal(set) var digest: String?
    public internal(set) var signer: String?
    private let tables: Constant<Tables>

    /// Constant data of an image that stays in the process for ever.
    struct Tables {
        let root: UnsafePointer<belfry_plugin>
        let strategies: [UnsafePointer<belfry_strategy>]
        let filters: [UnsafePointer<belfry_filter>]
        let actions: [UnsafePointer<belfry_action>]
        let sinks: [UnsafePointer<belfry_sink_type>]
        let receipts: [UnsafePointer<belfry_receipt_hook>]
        let outcomes: UnsafePointer<belfry_outcomes>?
    }

    init(id: String, version: String, path: String, _ tables: Tables) {
        (self.id, self.version, self.path) = (id, version, path)
        self.tables = Constant(tables)
    }

    public var strategies: [UnsafePointer<belfry_strategy>] { tables.pointer.strategies }
    public var filters: [UnsafePointer<belfry_filter>] { tables.pointer.filters }
    public var actions: [UnsafePointer<belfry_action>] { tables.pointer.actions }
    public var sinks: [UnsafePointer<belfry_sink_type>] { tables.pointer.sinks }
    public var receipts: [UnsafePointer<belfry_receipt_hook>] { tables.pointer.receipts }
    /// Which strategies are told of what happened only; nil: the plugin has none of these.
    public var outcomes: UnsafePointer<belfry_outcomes>? { tables.pointer.outcomes }
    /// Each image has its own.
    package var root: UnsafePointer<belfry_plugin> { tables.pointer.root }

    /// The names by which a chain may call its strategies and filters.
    var chainNames: [String] {
        strategies.compactMap { $0.pointee.name.checkedString } + filters.compactMap { $0.pointee.name.checkedString }
    }
}
