import BelfryEngine
import BelfryModel

/// Sets of parameters that a description allows, made from nothing but the description: the smallest first.
struct ParameterSamples {
    let sets: [Value?]

    init(_ schema: ParameterSchema) {
        let values = Self.roots(schema)
        let others = values.map { value in value.map { Self.askingData($0) } }.filter { !values.contains($0) }
        // Behind the smallest, and before the richest, which are tried of many.
        let all = Array(values.prefix(1)) + others + Array(values.dropFirst())
        sets = schema.isRequired ? all : [Value?.none] + all
    }

    /// The same with conditions on the data of a signal, since not every condition is on attributes.
    private static func askingData(_ value: Value) -> Value {
        switch value {
        case condition: ["data.tier": "gold"]
        case .list(let items): .list(items.map { askingData($0) })
        case .map(let fields): .map(Fields(fields.entries.map { ($0.key, askingData($0.value)) }))
        default: value
        }
    }

    private static let condition: Value = ["tier": "gold"]

    private static func roots(_ schema: ParameterSchema) -> [Value?] {
        switch schema.type {
        case .none: return [nil]
        case .object(let members): return objects(members)
        case .any: return guesses
        default: return [value(of: schema)]
        }
    }

    /// What is required; that with each other one; that with all that go together.
    private static func objects(_ members: [ParameterSchema]) -> [Value] {
        let required = members.filter(\.isRequired)
        let others = members.filter { !$0.isRequired }
        let smallest = object(required)
        let pairs = others.flatMap { one in
            others.filter { $0.name > one.name && goTogether(one, $0) }.map { object(required + [one, $0]) }
        }
        let whole = others.reduce(into: required) { chosen, next in
            if chosen.allSatisfy({ goTogether($0, next) }) { chosen.append(next) }
        }
        return unique(
            [smallest] + others.map { object(required + [$0]) } + pairs.prefix(mostPairs) + [object(whole)])
    }

    private static let mostPairs = 40

    private static func goTogether(_ one: ParameterSchema, _ other: ParameterSchema) -> Bool {
        !one.replaces.contains(other.name) && !other.replaces.contains(one.name)
    }

    private static func object(_ members: [ParameterSchema]) -> Value {
        .map(Fields(members.map { ($0.name, value(of: $0)) }))
    }

    private static func unique(_ values: [Value]) -> [Value] {
        values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// A value that the description of one parameter allows.
    static func value(of schema: ParameterSchema) -> Value {
        if let value = schema.defaultValue { return value }
        if schema.isList {
            return .list(Array(repeating: element(of: schema), count: max(1, Int(schema.minimum ?? 1))))
        }
        return element(of: schema)
    }

    private static func element(of schema: ParameterSchema) -> Value {
        // The bounds of a list are those of its length.
        let (low, high) = schema.isList ? (nil, nil) : (schema.minimum, schema.maximum)
        func within(_ number: Double) -> Double { min(max(number, low ?? number), high ?? .greatestFiniteMagnitude) }
        switch schema.type {
        case .boolean: return true
        case .integer: return .integer(Int64(within(3)))
        case .number: return .number(within(0.5))
        case .text: return .text(String(repeating: "a", count: Int(within(4))))
        case .duration: return .text(Duration(milliseconds: Int64(within(3_600_000))).description)
        case .condition: return condition
        case .choice(let choices): return .text(choices.first ?? "")
        case .object(let members):
            let required = members.filter(\.isRequired)
            // A mapping without anything in it rarely means something.
            return object(
                required.isEmpty ? Array(members.prefix(1)) : required + firstWindow(members, beside: required))
        case .any: return guesses[0] ?? .null
        case .none: return .null
        }
    }

    /// The first optional one that stands instead of others: one of several that are wanted.
    private static func firstWindow(_ members: [ParameterSchema], beside required: [ParameterSchema])
        -> [ParameterSchema]
    {
        members.first { !$0.isRequired && !$0.replaces.isEmpty }.map { [$0] } ?? []
    }

    /// What may be meant by "any value".
    private static let guesses: [Value?] = [condition, "text", 3, true, ["text"]]
}
