import BelfryModel
import BelfryPluginHost
import Foundation

/// Any JSON, for looking into.
struct JSON: Equatable, Sendable {
    let value: Value

    init(_ text: String) throws { value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)).value }

    subscript(key: String) -> Value? { value.map?[key] }
}
