import CBelfry

/// What the loaded plugins provide, by name. The tables are constant and valid until the process ends.
public struct Providers: @unchecked Sendable {
    // Unchecked: the pointers lead to constants.

    /// A strategy or a filter, and the plugin it comes from.
    public struct Strategy {
        public enum Kind {
            case strategy(UnsafePointer<belfry_strategy>)
            case filter(UnsafePointer<belfry_filter>)
        }

        public var kind: Kind
        public var plugin: String

        public init(_ kind: Kind, plugin: String) {
            self.kind = kind
            self.plugin = plugin
        }
    }

    /// A handler for an action type.
    public struct Action {
        public var action: UnsafePointer<belfry_action>
        public var plugin: String
    }

    public private(set) var strategies: [String: Strategy] = [:]
    public private(set) var actions: [String: Action] = [:]
    /// Action types that were registered again, in order: `url: web-action instead of actions`.
    public private(set) var overrides: [String] = []

    public init() {}

    public mutating func add(_ strategy: UnsafePointer<belfry_strategy>, plugin: String) {
        strategies[strategy.pointee.name.string ?? ""] = Strategy(.strategy(strategy), plugin: plugin)
    }

    public mutating func add(_ filter: UnsafePointer<belfry_filter>, plugin: String) {
        strategies[filter.pointee.name.string ?? ""] = Strategy(.filter(filter), plugin: plugin)
    }

    /// The last registration of a type wins.
    public mutating func add(_ action: UnsafePointer<belfry_action>, plugin: String) {
        let type = action.pointee.type.string ?? ""
        if let former = actions[type] { overrides.append("\(type): \(plugin) instead of \(former.plugin)") }
        actions[type] = Action(action: action, plugin: plugin)
    }
}

extension Providers.Strategy {
    public var parameters: ParameterSchema {
        switch kind {
        case .strategy(let table): ParameterSchema(root: table.pointee.parameters)
        case .filter(let table): ParameterSchema(root: table.pointee.parameters)
        }
    }
}
