import BelfryModel

extension Catalog {
    /// Things that are no errors, and most likely mistakes: what an operator wants to know before a user taps.
    public var warnings: [String] {
        smallFences + strangeHistories + strangeFields
            + configuration.campaigns.flatMap { misplaced($0) + tooClose($0) }
            + configuration.categories.flatMap { category in
                category.buttons.flatMap {
                    doubts(about: $0.action?.members, at: "category '\(category.id)', button '\($0.id)'")
                }
            }
    }

    private func misplaced(_ campaign: Configuration.Campaign) -> [String] {
        let place = "campaign '\(campaign.id)'"
        let actions =
            doubts(about: campaign.onOpen?.members, at: "\(place), onOpen")
            + doubts(about: campaign.onFire?.members, at: "\(place), onFire")
            + (campaign.handler == .action ? doubts(about: campaign.data?.map, at: "\(place), data") : [])
        switch campaign.kind {
        case .geotrigger where campaign.onOpen != nil || campaign.category != nil:
            return actions + ["\(place) is a geotrigger: it is never opened, so 'onOpen' and 'category' do nothing"]
        case .notification where campaign.onFire != nil:
            return actions + ["\(place) is a notification: it never fires, so 'onFire' does nothing"]
        default: return actions
        }
    }

    /// The warning, if there is one to give: no plugin provides the action, or it does not fit its handler.
    ///
    /// An action is a constant here, so one that does not fit its handler never will. No error, as a type that no plugin provides
    /// is none: the plugins that are there today do not make a configuration wrong.
    func doubts(about action: Fields?, at place: String) -> [String] {
        guard let action else { return [] }
        guard let type = action["type"]?.text else { return ["\(place): there is no action without a 'type'"] }
        guard let provider = actions[type] else {
            let nearest = nearestMatch(to: type, among: actions.types.sorted()).map { "; did you mean '\($0)'?" } ?? ""
            return ["\(place): no plugin provides the action type '\(type)'\(nearest)"]
        }
        do throws(ActionSignature.Mismatch) {
            _ = try provider.handler.signature.arguments(from: action)
            return []
        } catch {
            return ["\(place): \(error.sentence)"]
        }
    }

    /// Plot Projects: near or far give the best results, immediate is too short for notifications.
    private func tooClose(_ campaign: Configuration.Campaign) -> [String] {
        guard campaign.kind == .notification,
            let immediate = configuration.beacons.distances.first(where: { $0.name == "immediate" })?.meters
        else { return [] }
        return campaign.triggers.compactMap { trigger in
            guard case .near(let inside, _) = trigger.on, inside <= immediate else { return nil }
            return
                "campaign '\(campaign.id)', trigger '\(trigger.id)': \(meters(inside)) is too close for notifications; "
                + "'near' or 'far' reach more people"
        }
    }

    /// Properties below `history` that no segment will ever have: a slip there is a limit that never holds, or always.
    private var strangeHistories: [String] {
        let names = Set(configuration.allParameters.flatMap { $0.keys(where: { $0.hasPrefix("history.") }) })
        return names.sorted().compactMap(doubts(aboutHistory:))
    }

    /// - Parameter name: such as `history.autumn-sale.count`; the campaign may have dots.
    private func doubts(aboutHistory name: String) -> String? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
        let campaign = parts.dropLast().joined(separator: ".")
        guard let last = parts.last, ["count", "lastAt"].contains(last), !campaign.isEmpty else {
            return "'\(name)' is nothing that a segment has; it ends with '.count' or '.lastAt' behind a campaign"
        }
        if configuration.campaigns.contains(where: { $0.id.isSameText(as: campaign) }) { return nil }
        let nearest = nearestMatch(to: campaign, among: configuration.campaigns.map(\.id)).map {
            "; did you mean '\($0)'?"
        }
        return "'\(name)': there is no campaign '\(campaign)'\(nearest ?? "")"
    }

    /// Plot Projects: positions are accurate to about 60 m. One sentence for all, of which there may be a hundred thousand.
    private var smallFences: [String] {
        let small = configuration.regions.compactMap { region -> String? in
            guard case .geofence(_, let radius) = region.kind, radius < 100 else { return nil }
            return "'\(region.id)' (\(meters(radius)))"
        }
        guard let first = small.first else { return [] }
        let others = small.count == 1 ? "" : " and \(small.count - 1) more"
        return ["geofence \(first)\(others): under 100 m, many a phone's position is too rough to notice the entry"]
    }

    private func meters(_ number: Double) -> String { "\(Value.number(number).json) m" }
}

extension Value {
    /// The keys of all mappings in it that are wanted.
    func keys(where isWanted: (String) -> Bool) -> [String] {
        switch self {
        case .list(let items): items.flatMap { $0.keys(where: isWanted) }
        case .map(let fields):
            fields.entries.flatMap { (isWanted($0.key) ? [$0.key] : []) + $0.value.keys(where: isWanted) }
        default: []
        }
    }
}
