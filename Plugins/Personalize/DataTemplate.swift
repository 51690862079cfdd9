import BelfryPlugin

/// What the data becomes: text, or a mapping or list with templates in its texts.
enum DataTemplate: ParameterValue {
    case text(Template)
    /// A text that is one placeholder: it stands for the value itself.
    case placeholder(String)
    case map([(key: String, part: DataTemplate)])
    case list([DataTemplate])
    case constant(Value)

    static var shape: ParameterShape { Value.shape }

    static func decode(_ source: ParameterSource) throws(StrategyError) -> DataTemplate {
        let value = try Value.decode(source)
        switch value {
        case .text(let text): return .text(try template(text))
        case .map, .list: return try part(value)
        default: throw StrategyError("'data' is \(value.kindName), but text, a mapping or a list is wanted")
        }
    }

    private static func part(_ value: Value) throws(StrategyError) -> DataTemplate {
        switch value {
        case .text(let text):
            let template = try template(text)
            let name = template.placeholders.first ?? ""
            return text == "{\(name)}" ? .placeholder(name) : .text(template)
        case .map(let fields):
            var parts: [(String, DataTemplate)] = []
            for entry in fields.entries { parts.append((entry.key, try part(entry.value))) }
            return .map(parts)
        case .list(let items):
            var parts: [DataTemplate] = []
            for item in items { parts.append(try part(item)) }
            return .list(parts)
        default: return .constant(value)
        }
    }

    private static func template(_ text: String) throws(StrategyError) -> Template {
        do throws(Template.Fault) {
            return try Template(text)
        } catch {
            throw StrategyError("'data' has \(error.found); \(error.fix)")
        }
    }
}

extension Blanks {
    func fill(_ data: DataTemplate) -> Value {
        switch data {
        case .text(let template): return .text(fill(template, of: "data"))
        case .map(let parts): return .map(Fields(parts.map { ($0.key, fill($0.part)) }))
        case .list(let parts): return .list(parts.map(fill))
        case .constant(let value): return value
        case .placeholder(let name):
            if let value = value(name) { return value }
            warn(name, of: "data")
            return .null
        }
    }
}
