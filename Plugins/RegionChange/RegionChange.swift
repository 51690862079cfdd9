import BelfryPlugin

/// Allows a notification only for another region than the last one, or for another value of a region field.
///
/// A candidate without a region, or whose region lacks the field, is not its affair: it is neither judged nor remembered.
struct RegionChange: Strategy {
    static let name = "region-change"
    static let summary = "Allows a notification only for another region, or value of a region field, than the last one."
    static let outcomes = ToldOutcomes.happened

    private let field: String?

    init(_ parameters: Parameters, host: Host) {
        field = parameters.field
    }

    func shouldCreate(_ candidate: Candidate, state: State, context: Context) -> Verdict {
        guard let place = place(of: candidate) else { return .abstain }
        guard state.isSame(place, field: field) else { return .allow }
        return .deny("the last one was for \(field ?? "region") '\(place)' too")
    }

    func didCreate(_ candidate: Candidate, created: Bool, state: inout State, context: Context) {
        guard created, let region = candidate.region, let place = place(of: candidate) else { return }
        state.record(place, field: field, region: region, context)
    }

    /// What is compared: the region, or the value of its field. Field names are case-insensitive in the configuration.
    private func place(of candidate: Candidate) -> String? {
        guard let field else { return candidate.region }
        let name = field.lowercased()
        return candidate.regionFields.entries.first { $0.key.lowercased() == name }?.value.text
    }
}

extension RegionChange {
    struct Parameters: ParameterList {
        var field: String?

        static var parameters: [Parameter<Self>] {
            [.optional("field", \.field, "the region field whose value is to change, instead of the region itself")]
        }
    }
}

extension RegionChange {
    /// Entries that share a counter may look at different things: so the region is always remembered, and the value of a
    /// field together with its name. Of a field that was not looked at last time, any value is another one.
    struct State: StrategyState {
        private var region = StateText()
        private var field = StateText()
        private var value = StateText()

        init() {}

        func isSame(_ place: String, field: String?) -> Bool {
            guard let field else { return region == place }
            return self.field.string.lowercased() == field.lowercased() && value == place
        }

        mutating func record(_ place: String, field: String?, region: String, _ context: Context) {
            self.region.set(region, in: context)
            guard let field else { return }
            self.field.set(field, in: context)
            value.set(place, in: context)
        }

        static var fields: [StateField<State>] {
            [
                StateField("region", \.region, "the region of the last one"),
                StateField("field", \.field, "the region field that was looked at"),
                StateField("value", \.value, "its value then"),
            ]
        }
    }
}
