import BelfryEngine
import BelfryModel

/// Which decisions a sink gets: `types` and `when`.
struct SinkFilter: Sendable {
    private let types: Set<String>?
    private let when: Condition?
    /// What conditions see of campaigns.
    private let campaigns: [String: Value]

    init(_ sink: Configuration.Sink, campaigns: [Configuration.Campaign]) {
        (types, when) = (sink.types, sink.when)
        self.campaigns = campaigns.reduce(into: [:]) { $0[$1.id] = .map($1.document) }
    }

    func takes(_ decision: Fields) -> Bool {
        if let types, !types.contains(decision["type"]?.text ?? "") { return false }
        guard let when else { return true }
        var properties = decision
        let campaign = decision["data"]?.map?["campaign"]?.text ?? ""
        properties["campaign"] = campaigns[campaign] ?? .map(["id": .text(campaign)])
        return when.holds(for: properties)
    }
}
