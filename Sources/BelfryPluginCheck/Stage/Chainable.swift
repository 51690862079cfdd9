import BelfryEngine
import BelfryPluginHost
import CBelfry

/// What stands in a chain: a strategy or a filter of the plugin.
enum Chainable {
    case strategy(UnsafePointer<belfry_strategy>)
    case filter(UnsafePointer<belfry_filter>)

    /// As a sentence calls it.
    var noun: String {
        switch self {
        case .strategy: "strategy '\(name)'"
        case .filter: "filter '\(name)'"
        }
    }

    var name: String {
        switch self {
        case .strategy(let table): table.pointee.name.string ?? ""
        case .filter(let table): table.pointee.name.string ?? ""
        }
    }

    var description: UnsafePointer<belfry_parameter>? {
        switch self {
        case .strategy(let table): table.pointee.parameters
        case .filter(let table): table.pointee.parameters
        }
    }

    var strategy: UnsafePointer<belfry_strategy>? {
        if case .strategy(let table) = self { table } else { nil }
    }

    /// Whether it keeps state.
    var hasState: Bool { (strategy?.pointee.state_size ?? 0) > 0 }

    /// Whether it saves and loads its state itself.
    var savesItself: Bool { hasState && strategy?.pointee.field_count == 0 }

    /// Calls its `create`.
    func create(
        _ host: UnsafePointer<belfry_host>?, _ parameters: UnsafePointer<belfry_value>?,
        _ error: UnsafePointer<belfry_sink>?
    ) -> UnsafeMutableRawPointer? {
        switch self {
        case .strategy(let table): table.pointee.create(table.pointee.type, host, parameters, error)
        case .filter(let table): table.pointee.create(table.pointee.type, host, parameters, error)
        }
    }

    func destroy(_ instance: UnsafeMutableRawPointer) {
        switch self {
        case .strategy(let table): table.pointee.destroy(instance)
        case .filter(let table): table.pointee.destroy(instance)
        }
    }
}

extension LoadedPlugin {
    var chainables: [Chainable] { strategies.map(Chainable.strategy) + filters.map(Chainable.filter) }

    /// Those among them, or nothing to try.
    func chainables(_ kinds: (Chainable) -> Bool = { _ in true }) throws(NotApplicable) -> [Chainable] {
        let found = chainables.filter(kinds)
        if found.isEmpty { throw NotApplicable() }
        return found
    }
}
