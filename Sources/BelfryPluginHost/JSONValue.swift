import BelfryModel
import Foundation

/// A `Value` inside something `Codable`. The order of a map's keys is that of the coder, not the original
/// one.
public struct JSONValue: Codable, Sendable, Hashable {
    public let value: Value

    public init(_ value: Value) { self.value = value }

    public init(from decoder: any Decoder) throws {
        if let keyed = try? decoder.container(keyedBy: Key.self) {
            value = .map(
                Fields(
                    try keyed.allKeys.sorted { $0.stringValue < $1.stringValue }.map {
                        ($0.stringValue, try keyed.decode(JSONValue.self, forKey: $0).value)
                    }))
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            value = .null
        } else if let bool = try? single.decode(Bool.self) {
            value = .bool(bool)
        } else if let integer = try? single.decode(Int64.self) {
            value = .integer(integer)
        } else if let number = try? single.decode(Double.self) {
            value = .number(number)
        } else if let text = try? single.decode(String.self) {
            value = .text(text)
        } else {
            value = .list(try single.decode([JSONValue].self).map(\.value))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        if case .map(let fields) = value {
            var keyed = encoder.container(keyedBy: Key.self)
            for entry in fields.entries { try keyed.encode(JSONValue(entry.value), forKey: Key(entry.key)) }
            return
        }
        var single = encoder.singleValueContainer()
        switch value {
        case .null, .map: try single.encodeNil()
        case .bool(let bool): try single.encode(bool)
        case .integer(let integer): try single.encode(integer)
        case .number(let number): try single.encode(number)
        case .text(let text): try single.encode(text)
        case .list(let list): try single.encode(list.map(JSONValue.init))
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension Value {
    /// Anything `Codable` as a value, its keys in the coder's order.
    public init(encoding encodable: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // What this is used for are plain structs of texts and numbers, which always encode.
        let value = try? JSONDecoder().decode(JSONValue.self, from: encoder.encode(encodable))
        self = value?.value ?? .null
    }
}
