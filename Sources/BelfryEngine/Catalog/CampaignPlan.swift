import BelfryModel

// The configuration as the engine walks it: references resolved to objects, texts at addresses that C can borrow.

/// A campaign with its texts prepared.
final class CampaignPlan: Sendable {
    let index: Int
    let campaign: Configuration.Campaign
    let id: CText
    let title: Template?
    let message: Template?
    let groups: [GroupPlan]
    /// What is shown where no region, request or filter has a say; nil if its texts have placeholders.
    let content: Decision.Content?
    let isFixed: Bool
    let hasCategory: Bool
    /// The members of a decision that show it.
    let contentJSON: [UInt8]

    init(
        _ campaign: Configuration.Campaign, index: Int, title: Template?, message: Template?,
        groups: [GroupPlan]
    ) {
        self.index = index
        self.campaign = campaign
        id = CText(campaign.id)
        self.title = title
        self.message = message
        self.groups = groups
        hasCategory = campaign.category != nil
        isFixed = (title == nil || title?.literal != nil) && (message == nil || message?.literal != nil)
        content =
            isFixed
            ? Decision.Content(
                title: title?.literal, message: message?.literal, data: campaign.data,
                presentation: campaign.presentation,
                handler: Self.handler(of: campaign.data, campaign).rawValue, category: campaign.category) : nil
        contentJSON = content?.json ?? []
    }

    var isGeotrigger: Bool { campaign.kind == .geotrigger }

    /// What opening stands for, for the data that is shown: `url` for a web address, unless the configuration says.
    func handler(of data: Value?) -> Configuration.Handler { Self.handler(of: data, campaign) }

    private static func handler(of data: Value?, _ campaign: Configuration.Campaign) -> Configuration.Handler {
        campaign.handler ?? (data?.isWebAddress == true ? .url : .none)
    }
}

final class GroupPlan: Sendable {
    let index: Int
    let group: Configuration.Group
    let id: CText

    init(_ group: Configuration.Group, index: Int) {
        self.index = index
        self.group = group
        id = CText(group.id)
    }
}

extension Value {
    /// Whether it is text that starts with http:// or https://.
    var isWebAddress: Bool {
        guard let text = text?.lowercased() else { return false }
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }
}
