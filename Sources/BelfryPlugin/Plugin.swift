/// All that one shared object offers, and the constant root that the host gets from the entry.
///
/// Make one per image, as a module-level `let` that the entry function returns the `root` of.
public struct Plugin: Sendable {
    private let place: Constant<UnsafePointer<belfry_plugin>>

    public var root: UnsafePointer<belfry_plugin> { place.pointer }

    /// `id` is unique in the host; `version` is the plugin's own.
    public init(
        id: String, version: String, strategies: [any Strategy.Type] = [], filters: [any Filter.Type] = [],
        actions: [any ActionProvider.Type] = [], sinks: [any Sink.Type] = []
    ) {
        let arena = Arena(.process)
        let actions = actions.flatMap { $0.actions }
        Extensions.current = Extensions(
            strategies: arena.table(strategies), filters: arena.table(filters), actions: arena.table(actions),
            sinks: arena.table(sinks), receipts: arena.receipts(strategies), outcomes: outcomesTable(strategies),
            faults: actions.compactMap(\.mismatch))
        var root = belfry_plugin()
        root.magic = BELFRY_MAGIC
        root.abi_major = BELFRY_ABI_MAJOR
        root.abi_minor = BELFRY_ABI_MINOR
        root.size = UInt32(MemoryLayout<belfry_plugin>.size)
        root.id = arena.text(id)
        root.version = arena.text(version)
        root.built_with = arena.text(builtWith)
        root.`init` = { _, error in
            guard let faults = Extensions.current?.faults, !faults.isEmpty else { return BELFRY_OK }
            error.write(faults.joined(separator: "; "))
            return BELFRY_FAILED
        }
        root.get_extension = { id in id.flatMap { Extensions.current?.table(named: String(cString: $0)) } }
        place = Constant(arena.copy([root])!)  // one element is never empty
    }
}

/// The extensions of the plugin in this image.
private struct Extensions {
    let strategies: UnsafePointer<belfry_strategies>?
    let filters: UnsafePointer<belfry_filters>?
    let actions: UnsafePointer<belfry_actions>?
    let sinks: UnsafePointer<belfry_sink_types>?
    let receipts: UnsafePointer<belfry_receipts>?
    let outcomes: UnsafePointer<belfry_outcomes>?
    /// Why the host must not use this plugin, which it is told in `init`.
    let faults: [String]

    // The one global of this module: `get_extension` of the contract gets nothing but a name, and a C function cannot
    // capture. Safe, because it is written in the entry, before every other call, and each image has its own copy.
    nonisolated(unsafe) static var current: Extensions?

    func table(named name: String) -> UnsafeRawPointer? {
        switch name {
        case BELFRY_EXTENSION_STRATEGY: strategies.map { UnsafeRawPointer($0) }
        case BELFRY_EXTENSION_FILTER: filters.map { UnsafeRawPointer($0) }
        case BELFRY_EXTENSION_ACTIONS: actions.map { UnsafeRawPointer($0) }
        case BELFRY_EXTENSION_SINK: sinks.map { UnsafeRawPointer($0) }
        case BELFRY_EXTENSION_RECEIPTS: receipts.map { UnsafeRawPointer($0) }
        case BELFRY_EXTENSION_OUTCOMES: outcomes.map { UnsafeRawPointer($0) }
        default: nil
        }
    }
}

extension Arena {
    fileprivate func table(_ types: [any Strategy.Type]) -> UnsafePointer<belfry_strategies>? {
        let items = copy(types.map { Optional(strategyTable($0)) })
        return items.flatMap { copy([belfry_strategies(items: $0, count: UInt64(types.count))]) }
    }

    fileprivate func table(_ types: [any Filter.Type]) -> UnsafePointer<belfry_filters>? {
        let items = copy(types.map { Optional(filterTable($0)) })
        return items.flatMap { copy([belfry_filters(items: $0, count: UInt64(types.count))]) }
    }

    fileprivate func receipts(_ types: [any Strategy.Type]) -> UnsafePointer<belfry_receipts>? {
        let hooks = types.compactMap { receiptTable($0) }.map(Optional.some)
        return copy(hooks).flatMap { copy([belfry_receipts(items: $0, count: UInt64(hooks.count))]) }
    }

    fileprivate func table(_ types: [any Sink.Type]) -> UnsafePointer<belfry_sink_types>? {
        let items = copy(types.map { Optional(sinkTable($0)) })
        return items.flatMap { copy([belfry_sink_types(items: $0, count: UInt64(types.count))]) }
    }

    fileprivate func table(_ actions: [Action]) -> UnsafePointer<belfry_actions>? {
        let actions = actions.map { Optional(actionTable($0)) }
        return copy(actions).flatMap { copy([belfry_actions(items: $0, count: UInt64(actions.count))]) }
    }
}

#if compiler(>=6.4)
    private let builtWith = "Swift 6.4 or newer, BelfryPlugin 1.0"
#else
    private let builtWith = "Swift 6.3 or older, BelfryPlugin 1.0"
#endif
