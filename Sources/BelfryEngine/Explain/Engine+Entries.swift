import BelfryModel

// What `Explanation` tells of each entry that was asked, or was not, about the candidate of the scope.

extension Engine {
    /// In chain order: those that were asked, with what they said, and those that were not.
    func entries(_ skipped: SkippedEntries) -> [Explanation.Entry] {
        catalog.chain.flatMap { plan in
            scope.answers.filter { $0.entry === plan }.map { entry(of: $0) }
                + skipped.all.filter { $0.entry === plan }.map { entry(of: $0.entry, $0.group, $0.why) }
        }
    }

    private func entry(of answer: Answer) -> Explanation.Entry {
        var entry = blank(answer.entry)
        entry.counter = answer.counter
        entry.verdict = answer.verdict
        entry.parameters = parameters(of: answer)
        entry.state = state(of: answer)
        return entry
    }

    private func state(of answer: Answer) -> [StatePair] {
        let key = SubjectRecord.SlotKey(owner: answer.entry.owner, counter: answer.key.pointee)
        let state = scope.record.slot(key).flatMap { try? scope.values(of: $0) } ?? []
        return state + digest(of: answer)
    }

    /// The open digest that the entry keeps under that counter.
    private func digest(of answer: Answer) -> [StatePair] {
        let now = scope.now
        guard let open = scope.record.openDigest(of: answer.entry.entry.id, answer.counter, at: now) else { return [] }
        return [
            StatePair(key: "digest.opened", value: .instant(open.digest.opened)),
            StatePair(key: "digest.closes", value: .instant(open.closes)),
            StatePair(key: "digest.items", value: .integer(Int64(open.digest.items.count))),
        ]
    }

    private func entry(of plan: EntryPlan, _ group: GroupPlan?, _ why: SkipReason) -> Explanation.Entry {
        var entry = blank(plan)
        entry.counter = plan.counter == .group ? group?.group.id : nil
        entry.notAsked =
            switch why {
            case .disabled: "it is not enabled"
            case .off: "it is off" + (cascade(of: plan, group).switchedOff.map { " (\($0.text))" } ?? "")
            case .unparameterized: "it needs parameters and has none here"
            case .uncounted: "the candidate has no \(plan.counter), which it counts by"
            case .conditionNotMet: "its 'when' does not hold"
            case .landingPage: "filters do not see landing pages"
            case .deniedBefore: "filters run only while nothing has denied"
            case .allowedBefore: "a sufficient entry has allowed"
            }
        return entry
    }

    private func blank(_ plan: EntryPlan) -> Explanation.Entry {
        Explanation.Entry(id: plan.entry.id, strategy: plan.entry.strategy, control: plan.entry.control)
    }

    private func cascade(of plan: EntryPlan, _ group: GroupPlan?) -> Cascade {
        let (candidate, trigger) = (scope.candidate, scope.candidate.trigger.object)
        return Cascade(
            of: Cascade.Candidate(
                entry: plan.index, campaign: candidate.campaign, trigger: trigger.trigger, position: trigger.index,
                region: candidate.region?.object.index,
                groups: plan.counter == .group ? [group].compactMap { $0 } : candidate.campaign.groups,
                assignment: assigner?.assignment ?? []),
            in: catalog.configuration)
    }

    /// The given ones, then the defaults that stand for the others.
    private func parameters(of answer: Answer) -> [Explanation.Parameter] {
        let group = scope.candidate.campaign.groups.first { $0.group.id == answer.counter }
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
        case .variant(let name, let experiment): "experiment \(experiment), variant \(name)"
        case .strategy: "default"
        }
    }
}
