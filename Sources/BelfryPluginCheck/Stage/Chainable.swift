import BelfryEngine
import BelfryPluginHost
import CBelfry

/// What stands in a chain: a strategy or a filter of the plugin.
enum Chainable {
    /// With the plugin that offers it, which has more about it in other tables.
    case strategy(UnsafePointer<belfry_strategy>, of: LoadedPlugin)
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
        case .strategy(let table, _): table.pointee.name.string ?? ""
        case .filter(let table): table.pointee.name.string ?? ""
        }
    }

    var description: UnsafePointer<belfry_parameter>? {
        switch self {
        case .strategy(let table, _): table.pointee.parameters
        case .filter(let table): table.pointee.parameters
        }
    }

    var strategy: UnsafePointer<belfry_strategy>? {
        if case .strategy(let table, _) = self { table } else { nil }
    }

    /// Whether it keeps state.
    var hasState: Bool { (strategy?.pointee.state_size ?? 0) > 0 }

    /// Whether it saves and loads its state itself.
    var savesItself: Bool { hasState && strategy?.pointee.field_count == 0 }

    /// How it hears of receipts; nil if it does not.
    var receiptHook: UnsafePointer<belfry_receipt_hook>? {
        guard case .strategy(_, let plugin) = self else { return nil }
        let name = name
        return plugin.receipts.first { $0.pointee.strategy.string == name }
    }

    /// Whether its plugin lists it in `happened`: the host never tells it of a refusal.
    var isToldOfHappened: Bool {
        guard case .strategy(_, let plugin) = self, let outcomes = plugin.outcomes?.pointee else { return false }
        let name = name
        return UnsafeBufferPointer(start: outcomes.happened, count: Int(outcomes.count)).contains { $0.string == name }
    }

    /// Calls its `create`.
    func create(
        _ host: UnsafePointer<belfry_host>?, _ parameters: UnsafePointer<belfry_value>?,
        _ error: UnsafePointer<belfry_sink>?
    ) -> UnsafeMutableRawPointer? {
        switch self {
        case .strategy(let table, _): table.pointee.create(table.pointee.type, host, parameters, error)
        case .filter(let table): table.pointee.create(table.pointee.type, host, parameters, error)
        }
    }

    func destroy(_ instance: UnsafeMutableRawPointer) {
        switch self {
        case .strategy(let table, _): table.pointee.destroy(instance)
        case .filter(let table): table.pointee.destroy(instance)
        }
    }
}

extension LoadedPlugin {
    var chainables: [Chainable] {
        strategies.map { Chainable.strategy($0, of: self) } + filters.map(Chainable.filter)
    }

    /// Those among them, or nothing to try.
    func chainables(_ kinds: (Chainable) -> Bool = { _ in true }) throws(NotApplicable) -> [Chainable] {
        let found = chainables.filter(kinds)
        if found.isEmpty { throw NotApplicable() }
        return found
    }
}
