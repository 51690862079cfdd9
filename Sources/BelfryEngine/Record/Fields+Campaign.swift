import BelfryModel

extension Fields {
    /// Of the JSON of a decision: the id of the campaign that it is about, also of one that only names its notification; nil if it is about none.
    package var decisionCampaign: String? {
        let data = self["data"]?.map
        if let campaign = data?["campaign"]?.text { return campaign }
        // An event that was recorded has it among its attributes.
        let notification = data?["notification"] ?? data?["attributes"]?.map?["notification"]
        return notification?.text.flatMap { SubjectRecord.parts(of: $0)?.campaign }
    }
}
