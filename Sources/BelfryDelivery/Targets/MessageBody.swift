import BelfryModel

/// What a receiver is sent, or is asked for: JSON with `{placeholders}` in its texts. One that is all of a text stands for the value itself.
struct MessageBody: Sendable {
    private let value: Value
    private let properties: DecisionProperties

    init(_ value: Value, _ properties: DecisionProperties) { (self.value, self.properties) = (value, properties) }

    func filled(for decision: Fields) -> [UInt8] { Array(value(for: decision).json.utf8) }

    func value(for decision: Fields) -> Value { filled(value, properties.of(decision)) }

    private func filled(_ value: Value, _ properties: Fields) -> Value {
        switch value {
        case .map(let fields): .map(Fields(fields.entries.map { ($0.key, filled($0.value, properties)) }))
        case .list(let items): .list(items.map { filled($0, properties) })
        case .text(let text): filled(text, properties)
        default: value
        }
    }

    private func filled(_ text: String, _ properties: Fields) -> Value {
        // The reader of the configuration has seen to it that it is one.
        guard let template = try? Template(text) else { return .text(text) }
        func value(_ name: String) -> Value? {
            properties.value(at: name.split(separator: ".").map(String.init)[...])
        }
        if template.placeholders.count == 1, text == "{\(template.placeholders[0])}" {
            return value(template.placeholders[0]) ?? .null
        }
        return .text(template.filled({ value($0).map { $0.text ?? $0.json } }, missing: { _ in }))
    }
}
