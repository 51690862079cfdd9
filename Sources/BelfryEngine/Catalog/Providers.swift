import BelfryModel
import CBelfry

/// What the loaded plugins provide, by name. The tables are constant and valid until the process ends.
public struct Providers: Sendable {
    /// A strategy or a filter, and the plugin it comes from.
    public struct Strategy: Sendable {
        enum Kind {
            case strategy(Constant<UnsafePointer<belfry_strategy>>)
            case filter(Constant<UnsafePointer<belfry_filter>>)
        }

        let kind: Kind
        public let plugin: String
    }

    /// The handler of an action type.
    public struct Action: Sendable {
        fileprivate let place: Constant<UnsafePointer<belfry_action>>
        public let signature: ActionSignature

        public var table: UnsafePointer<belfry_action> { place.pointer }
    }

    public private(set) var strategies: [String: Strategy] = [:]
    public private(set) var actions = ActionRegistry<Action>()
    /// What strategies have for receipts, by the name of the strategy.
    private(set) var receipts: [String: Constant<UnsafePointer<belfry_receipt_hook>>] = [:]

    /// The names of strategies that are told of what happened only.
    private(set) var toldOfHappened: Set<String> = []

    public init() {}

    public mutating func add(_ strategy: UnsafePointer<belfry_strategy>, plugin: String) {
        strategies[strategy.pointee.name.string ?? ""] = Strategy(kind: .strategy(Constant(strategy)), plugin: plugin)
    }

    public mutating func add(_ filter: UnsafePointer<belfry_filter>, plugin: String) {
        strategies[filter.pointee.name.string ?? ""] = Strategy(kind: .filter(Constant(filter)), plugin: plugin)
    }

    public mutating func add(_ hook: UnsafePointer<belfry_receipt_hook>) {
        receipts[hook.pointee.strategy.string ?? ""] = Constant(hook)
    }

    public mutating func add(_ outcomes: UnsafePointer<belfry_outcomes>) {
        for index in 0..<Int(outcomes.pointee.count) {
            toldOfHappened.insert(outcomes.pointee.happened[index].string ?? "")
        }
    }

    /// Registers an action. One whose signature cannot be read is none: the check of its plugin says so.
    public mutating func add(_ action: UnsafePointer<belfry_action>, plugin: String) {
        guard let signature = try? ActionSignature(parsing: action.pointee.signature.string ?? "") else { return }
        let handler = Action(place: Constant(action), signature: signature)
        actions.register(handler, for: action.pointee.type.string ?? "", by: plugin)
    }
}

extension Providers.Strategy {
    public var parameters: ParameterSchema {
        switch kind {
        case .strategy(let table): ParameterSchema(root: table.pointer.pointee.parameters)
        case .filter(let table): ParameterSchema(root: table.pointer.pointee.parameters)
        }
    }
}
