import BelfryModel
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

    /// The handler of an action type.
    public struct Action: @unchecked Sendable {
        // Unchecked: the pointer leads to a constant.
        public let table: UnsafePointer<belfry_action>
        public let signature: ActionSignature
    }

    public private(set) var strategies: [String: Strategy] = [:]
    public private(set) var actions = ActionRegistry<Action>()
    /// What strategies have for receipts, by the name of the strategy.
    private(set) var receipts: [String: UnsafePointer<belfry_receipt_hook>] = [:]

    /// The names of strategies that are told of what happened only.
    private(set) var toldOfHappened: Set<String> = []

    public init() {}

    public mutating func add(_ strategy: UnsafePointer<belfry_strategy>, plugin: String) {
        strategies[strategy.pointee.name.string ?? ""] = Strategy(.strategy(strategy), plugin: plugin)
    }

    public mutating func add(_ filter: UnsafePointer<belfry_filter>, plugin: String) {
        strategies[filter.pointee.name.string ?? ""] = Strategy(.filter(filter), plugin: plugin)
    }

    public mutating func add(_ hook: UnsafePointer<belfry_receipt_hook>) {
        receipts[hook.pointee.strategy.string ?? ""] = hook
    }

    public mutating func add(_ outcomes: UnsafePointer<belfry_outcomes>) {
        for index in 0..<Int(outcomes.pointee.count) {
            toldOfHappened.insert(outcomes.pointee.happened[index].string ?? "")
        }
    }

    /// Registers an action. One whose signature nobody can read is none: the check of its plugin says so.
    public mutating func add(_ action: UnsafePointer<belfry_action>, plugin: String) {
        guard let signature = try? ActionSignature(parsing: action.pointee.signature.string ?? "") else { return }
        let handler = Action(table: action, signature: signature)
        actions.register(handler, for: action.pointee.type.string ?? "", by: plugin)
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
