import BelfryPlugin

/// Allows a notification for those subjects whose attributes fulfil a condition.
struct Segmentation: Strategy {
    typealias Parameters = Condition

    static let name = "segmentation"
    static let summary = "Allows a notification for the subjects whose attributes fulfil a condition."

    private let condition: Condition
    /// The properties of the condition, each on its own: they tell what did not hold. Looked at for denials only.
    private let parts: [Part]

    init(_ condition: Condition, host: Host) throws(StrategyError) {
        self.condition = condition
        var parts: [Part] = []
        for entry in condition.source.entries { parts.append(try Part(entry, host: host)) }
        self.parts = parts
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        // Without the candidate: `region`, say, is an attribute here, not the region of the candidate.
        if condition.holds(for: nil, context: context) { return .allow }
        let failed = parts.first { !$0.condition.holds(for: nil, context: context) }
        return .deny(failed?.message ?? "the segment does not match")
    }
}

extension Segmentation {
    /// One property of the condition, or one group such as `$or`, and the sentence for when it does not hold.
    private struct Part {
        let condition: Condition
        let message: String

        init(_ entry: Fields.Entry, host: Host) throws(StrategyError) {
            condition = try Condition(Fields([(entry.key, entry.value)]), host: host)
            message = "the segment does not match: \(Self.sentence(entry))"
        }

        private static func sentence(_ entry: Fields.Entry) -> String {
            switch entry.value {
            case .null: "\(entry.key) is not missing"
            case .bool(let bool): "\(entry.key) is not \(bool)"
            case .integer(let integer): "\(entry.key) is not \(integer)"
            case .number(let number): "\(entry.key) is not \(number)"
            case .text(let text): "\(entry.key) is not \"\(short(text))\""
            case .list where entry.key.hasPrefix("$"), .map where entry.key.hasPrefix("$"):
                "\(entry.key) of \(json(entry.value)) does not hold"
            case .list, .map: "\(entry.key) does not match \(json(entry.value))"
            }
        }

        /// A list of customers may be long, and the sentence is in every decision.
        private static let longest = 200

        private static func json(_ value: Value) -> String {
            var writer = JSONWriter()
            writer.write(value)
            return short(String(decoding: writer.bytes, as: UTF8.self))
        }

        private static func short(_ text: String) -> String {
            text.count <= longest ? text : text.prefix(longest) + "…"
        }
    }
}
