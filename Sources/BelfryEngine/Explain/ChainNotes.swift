import BelfryModel

/// Writes down how the chain was asked: what `Explanation` tells of each entry.
final class ChainNotes {
    private let candidate: Candidate
    private let catalog: Catalog
    private(set) var absences: [(entry: EntryPlan, group: GroupPlan?, why: Chain.Absence)] = []

    init(_ candidate: Candidate, _ catalog: Catalog) {
        self.candidate = candidate
        self.catalog = catalog
    }

    func take(_ entry: EntryPlan, _ group: GroupPlan?, _ why: Chain.Absence) { absences.append((entry, group, why)) }

    /// In chain order: those that were asked, with what they said, and those that were not.
    func entries(with answers: Answers, _ record: SubjectRecord) -> [Explanation.Entry] {
        catalog.chain.flatMap { plan in
            answers.filter { $0.entry === plan }.map { entry(of: $0, record) }
                + absences.filter { $0.entry === plan }.map { entry(of: $0.entry, $0.group, $0.why) }
        }
    }

    private func entry(of answer: Answer, _ record: SubjectRecord) -> Explanation.Entry {
        var entry = blank(answer.entry)
        entry.counter = answer.counter
        entry.verdict = answer.verdict
        entry.parameters = parameters(of: answer)
        entry.state = answer.slot.map { record.states[$0].saved.values.map { ($0.key, $0.value) } } ?? []
        return entry
    }

    private func entry(of plan: EntryPlan, _ group: GroupPlan?, _ why: Chain.Absence) -> Explanation.Entry {
        var entry = blank(plan)
        entry.counter = plan.counter == .group ? group?.group.id : nil
        entry.notAsked =
            switch why {
            case .disabled: "it is not enabled"
            case .off: "it is off" + (cascade(of: plan, group).switchedOff.map { " (\($0.text))" } ?? "")
            case .unparameterized: "it needs parameters and has none here"
            case .uncounted: "the candidate has no \(plan.counter), which it counts by"
            case .unwanted: "its 'when' does not hold"
            case .landingPage: "filters do not see landing pages"
            case .denied: "filters run only while nothing has denied"
            case .allowed: "a sufficient entry has allowed"
            }
        return entry
    }

    private func blank(_ plan: EntryPlan) -> Explanation.Entry {
        Explanation.Entry(id: plan.entry.id, strategy: plan.entry.strategy, control: plan.entry.control)
    }

    private func cascade(of plan: EntryPlan, _ group: GroupPlan?) -> Cascade {
        Cascade(
            of: plan.index, in: catalog.configuration, region: candidate.region?.index,
            groups: plan.counter == .group ? [group].compactMap { $0 } : candidate.campaign.groups,
            campaign: candidate.campaign, trigger: candidate.trigger.trigger, at: candidate.trigger.index)
    }

    /// The given ones, then the defaults that stand for the others.
    private func parameters(of answer: Answer) -> [Explanation.Parameter] {
        let group = candidate.campaign.groups.first { $0.group.id == answer.counter }
        let cascade = cascade(of: answer.entry, group)
        let given = answer.parameters?.map ?? Fields()
        let defaults = answer.entry.schema.members.filter { given[$0.name] == nil }
        return given.entries.map {
            Explanation.Parameter(name: $0.key, value: $0.value, source: cascade.source(of: $0.key).text)
        }
            + defaults.compactMap { member in
                member.defaultValue.map {
                    Explanation.Parameter(name: member.name, value: $0, source: Cascade.Source.strategy.text)
                }
            }
    }
}

extension Cascade.Source {
    fileprivate var text: String {
        switch self {
        case .entry: "chain"
        case .region(let id): "region \(id)"
        case .group(let id): "group \(id)"
        case .campaign(let id): "campaign \(id)"
        case .trigger(let id): "trigger \(id)"
        case .strategy: "default"
        }
    }
}
