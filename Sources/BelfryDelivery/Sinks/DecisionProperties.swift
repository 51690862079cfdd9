import BelfryEngine
import BelfryModel

/// What conditions and bodies of sinks see of a decision: its own attributes, and its campaign as it is configured.
struct DecisionProperties: Sendable {
    private let campaigns: [String: Value]

    init(_ campaigns: [Configuration.Campaign]) {
        self.campaigns = campaigns.reduce(into: [:]) { $0[$1.id] = .map($1.document) }
    }

    func of(_ decision: Fields) -> Fields {
        var properties = decision
        let campaign = decision.decisionCampaign ?? ""
        properties["campaign"] = campaigns[campaign] ?? .map(["id": .text(campaign)])
        return properties
    }
}
