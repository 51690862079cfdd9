import BelfryModel

extension Engine {
    /// The trigger that a question is about.
    ///
    /// - Throws: `UnansweredQuestion` if there is none.
    func trigger(for question: Explanation.Question) throws -> TriggerPlan {
        guard let request = catalog.requests[question.campaign] else {
            throw UnansweredQuestion("campaign", question.campaign, among: catalog.requests.keys)
        }
        let campaign = request.campaign
        guard campaign.campaign.published else {
            throw UnansweredQuestion(
                what: "the campaign '\(question.campaign)' is never a candidate", why: "it is not published",
                expected: "a campaign that is published", fix: "set 'published: true'")
        }
        if let region = question.region, !catalog.knowsRegion(region) {
            throw UnansweredQuestion("region", region, among: catalog.regionByID.keys)
        }
        let triggers = catalog.triggers[campaign.index]
        if let id = question.trigger {
            guard let trigger = triggers.first(where: { $0.trigger?.id.isSameText(as: id) == true }) else {
                throw UnansweredQuestion(
                    "trigger", id, among: triggers.compactMap(\.trigger?.id), of: "campaign '\(question.campaign)'")
            }
            return try waiting([trigger], question)
        }
        return question.region == nil ? request : try waiting(triggers, question)
    }

    /// The first of the triggers that waits where the question says.
    private func waiting(_ triggers: [TriggerPlan], _ question: Explanation.Question) throws -> TriggerPlan {
        if let trigger = triggers.first(where: { $0.waits(at: question.region.flatMap { catalog.regionByID[$0] }) }) {
            return trigger
        }
        let which = question.trigger.map { "the trigger '\($0)'" } ?? "no trigger"
        let verb = question.trigger == nil ? "waits" : "does not wait"
        let why =
            question.region.map { "\(which) of campaign '\(question.campaign)' \(verb) at region '\($0)'" }
            ?? "\(which) of campaign '\(question.campaign)' waits at regions"
        throw UnansweredQuestion(
            what: "there is no such candidate", why: why,
            expected: question.region == nil ? "a region" : "a region that it waits at",
            fix: question.region == nil
                ? "name one of its regions, with --region on the command line"
                : "name a region of its triggers, or none for a request")
    }
}

extension UnansweredQuestion {
    fileprivate init(
        _ what: String, _ id: String, among known: some Sequence<String>, of owner: String = "the configuration"
    ) {
        self.what = "there is no \(what) '\(id)'"
        why = "\(owner) has none of that id"
        expected = "the id of a \(what) that it has"
        fix = nearestMatch(to: id, among: known).map { "did you mean '\($0)'?" } ?? "look at the configuration"
    }
}
