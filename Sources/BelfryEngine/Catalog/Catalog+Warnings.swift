import BelfryModel

extension Catalog {
    /// Things that are no errors, and most likely mistakes: what an operator wants to know before somebody taps.
    public var warnings: [String] {
        var warnings: [String] = []
        for campaign in configuration.campaigns {
            let place = "campaign '\(campaign.id)'"
            for (key, action) in [("onOpen", campaign.onOpen), ("onFire", campaign.onFire)] {
                if let action { warnings += missing(action, at: "\(place), \(key)") }
            }
            switch campaign.kind {
            case .geotrigger where campaign.onOpen != nil || campaign.category != nil:
                warnings.append("\(place) is a geotrigger: it is never opened, so 'onOpen' and 'category' do nothing")
            case .notification where campaign.onFire != nil:
                warnings.append("\(place) is a notification: it never fires, so 'onFire' does nothing")
            default: break
            }
        }
        for category in configuration.categories {
            for button in category.buttons {
                guard let action = button.action else { continue }
                warnings += missing(action, at: "category '\(category.id)', button '\(button.id)'")
            }
        }
        return warnings
    }

    private func missing(_ action: Configuration.Action, at place: String) -> [String] {
        guard !actionTypes.contains(action.type) else { return [] }
        let nearest = nearestMatch(to: action.type, among: actionTypes.sorted()).map { "; did you mean '\($0)'?" } ?? ""
        return ["\(place): no plugin provides the action type '\(action.type)'\(nearest)"]
    }
}
