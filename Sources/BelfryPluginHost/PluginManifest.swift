import BelfryEngine
import BelfryModel
import CBelfry

/// What a plugin offers, as plain data: for listings, JSON Schema and the cache of scans.
///
/// Made from the tables of a loaded plugin and from nothing else. As JSON it is what `belfry plugins --json`
/// prints.
public struct PluginManifest: Codable, Sendable, Hashable {
    public var id: String
    public var version: String
    /// `1.0`
    public var abi: String
    /// Compiler and kit, as far as the plugin says.
    public var builtWith: String?
    public var strategies: [Strategy]
    public var filters: [Filter]
    public var actions: [Action]
    public var sinks: [Sink]

    public struct Strategy: Codable, Sendable, Hashable {
        public var name: String
        public var summary: String?
        /// Of `per`, when the configuration gives none; nil: subject.
        public var defaultCounter: String?
        /// Strategies that it must stand before, or after, in a chain, and why.
        public var before: [String]
        public var after: [String]
        public var orderReason: String?
        /// Bytes for each subject and counter; 0: it keeps no state.
        public var stateSize: Int
        public var stateVersion: Int
        /// What the state is made of; empty if it saves itself, or there is none.
        public var fields: [Field]
        /// The root description; nil: it takes none.
        public var parameters: Parameter?
    }

    /// One field of a state.
    public struct Field: Codable, Sendable, Hashable {
        public var name: String
        public var summary: String?
        public var unit: String?
        /// boolean, integer, number, instant, duration, text, integers or instants.
        public var type: String
        public var isOptional: Bool
    }

    public struct Filter: Codable, Sendable, Hashable {
        public var name: String
        public var summary: String?
        public var parameters: Parameter?
    }

    public struct Action: Codable, Sendable, Hashable {
        public var type: String
        public var summary: String?
        /// As the plugin writes it: `viewProduct(sku: string, price: double, quantity: int = 1)`.
        public var signature: String
    }

    /// A type of sinks.
    public struct Sink: Codable, Sendable, Hashable {
        public var name: String
        public var summary: String?
        public var parameters: Parameter?
    }

    /// One parameter, or the root of all of a strategy.
    public struct Parameter: Codable, Sendable, Hashable {
        /// Empty for the root.
        public var name: String
        public var summary: String?
        public var unit: String?
        /// boolean, integer, number, text, duration, choice, condition, object or any.
        public var type: String
        public var isList: Bool
        public var isRequired: Bool
        /// Inclusive; durations in ms, lists and texts by their length.
        public var minimum: Double?
        public var maximum: Double?
        /// As it would be written in the configuration; a duration as text.
        public var defaultValue: JSONValue?
        public var choices: [String]
        /// Parameters that this one stands instead of.
        public var replaces: [String]
        /// Of an object.
        public var members: [Parameter]
    }

    /// The names by which a chain may call its strategies and filters.
    public var chainNames: [String] { strategies.map(\.name) + filters.map(\.name) }
}

extension PluginManifest {
    public init(describing plugin: LoadedPlugin) {
        id = plugin.id
        version = plugin.version
        abi = "\(plugin.root.pointee.abi_major).\(plugin.root.pointee.abi_minor)"
        builtWith = plugin.root.pointee.built_with.checkedString
        strategies = plugin.strategies.map(Strategy.init(describing:))
        filters = plugin.filters.map(Filter.init(describing:))
        actions = plugin.actions.map(Action.init(describing:))
        sinks = plugin.sinks.map(Sink.init(describing:))
    }
}

extension PluginManifest.Strategy {
    public init(describing strategy: UnsafePointer<belfry_strategy>) {
        name = strategy.pointee.name.checkedString ?? ""
        summary = strategy.pointee.summary.checkedString
        defaultCounter = strategy.pointee.default_counter.checkedString
        before = texts(strategy.pointee.before, strategy.pointee.before_count)
        after = texts(strategy.pointee.after, strategy.pointee.after_count)
        orderReason = strategy.pointee.order_reason.checkedString
        stateSize = Int(strategy.pointee.state_size)
        stateVersion = Int(strategy.pointee.state_version)
        fields = UnsafeBufferPointer(start: strategy.pointee.fields, count: Int(strategy.pointee.field_count))
            .map(PluginManifest.Field.init(describing:))
        parameters = PluginManifest.Parameter(root: strategy.pointee.parameters)
    }
}

extension PluginManifest.Field {
    private static let types = [
        "boolean", "integer", "number", "instant", "duration", "text", "integers", "instants",
    ]

    fileprivate init(describing field: belfry_field) {
        name = field.name.checkedString ?? ""
        summary = field.summary.checkedString
        unit = field.unit.checkedString
        // Its type was checked when the plugin was loaded.
        type = Self.types[Int(field.type) - 1]
        isOptional = field.flags & BELFRY_FIELD_OPTIONAL != 0
    }
}

extension PluginManifest.Filter {
    public init(describing filter: UnsafePointer<belfry_filter>) {
        name = filter.pointee.name.checkedString ?? ""
        summary = filter.pointee.summary.checkedString
        parameters = PluginManifest.Parameter(root: filter.pointee.parameters)
    }
}

extension PluginManifest.Action {
    public init(describing action: UnsafePointer<belfry_action>) {
        type = action.pointee.type.checkedString ?? ""
        summary = action.pointee.summary.checkedString
        signature = action.pointee.signature.checkedString ?? ""
    }
}

extension PluginManifest.Sink {
    public init(describing sink: UnsafePointer<belfry_sink_type>) {
        name = sink.pointee.name.checkedString ?? ""
        summary = sink.pointee.summary.checkedString
        parameters = PluginManifest.Parameter(root: sink.pointee.parameters)
    }
}

extension PluginManifest.Parameter {
    /// Nil if there is no root, or one that says that there are no parameters.
    init?(root: UnsafePointer<belfry_parameter>?) {
        guard let root, root.pointee.type != BELFRY_PARAMETER_NONE else { return nil }
        self.init(describing: root)
        name = ""
    }

    public init(describing parameter: UnsafePointer<belfry_parameter>) {
        let range = ParameterRange(parameter)
        name = parameter.pointee.name.checkedString ?? ""
        summary = parameter.pointee.summary.checkedString
        unit = parameter.pointee.unit.checkedString
        type = ParameterType(rawValue: parameter.pointee.type)?.name ?? "any"
        isList = parameter.pointee.isList
        isRequired = parameter.pointee.flags & ParameterFlags.required != 0
        minimum = range.minimum
        maximum = range.maximum
        defaultValue = parameter.pointee.default_value.map { JSONValue(Value($0.pointee)) }
        choices = texts(parameter.pointee.choices, parameter.pointee.choice_count)
        replaces = texts(parameter.pointee.replaces, parameter.pointee.replaces_count)
        members = (0..<Int(parameter.pointee.member_count)).compactMap { index in
            parameter.pointee.members.map { Self(describing: $0 + index) }
        }
    }
}
