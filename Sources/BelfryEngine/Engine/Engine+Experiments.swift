import BelfryModel

extension Engine {
    /// Has the candidate of the scope decided with its variants. The scope was begun.
    @inline(never)
    func assignVariants(_ moment: borrowing Moment) {
        guard let assigner else { return }
        // One of a campaign that has left the configuration has the chain's own parameters.
        guard scope.candidate.campaign.index < catalog.campaigns.count else { return assigner.assignNothing() }
        moment.record.block.bytes(of: .subject).withUnsafeBytes {
            assigner.assign(scope.candidate, subject: $0, scope.segment)
        }
    }

    /// Tells which variants had a bearing on what the chain was answered, once for each subject and experiment.
    @inline(never)
    func expose(_ moment: borrowing Moment, into effects: inout Effects) {
        guard let steps = assigner?.current else { return }
        for bearing in steps.bearings where bearing.steps.contains(where: scope.isReached) {
            expose(
                catalog.experiments[bearing.experiment], assigner?.assignment[bearing.experiment] ?? 0, moment, &effects
            )
        }
    }

    private func expose(
        _ plan: ExperimentPlan, _ variant: Int8, _ moment: borrowing Moment, _ effects: inout Effects
    ) {
        let key = SubjectRecord.SlotKey(owner: StateOwner.exposures.number, counter: plan.id.key.pointee)
        guard moment.record.slot(key) == nil else { return }
        let name = plan.experiment.variants[Int(variant)].name
        var content = ByteWriter()
        content.stateValues([
            StatePair(key: "variant", value: .text(name)), StatePair(key: "at", value: .instant(moment.now)),
        ])
        content.withBytes { moment.record.setState(key, nil, shape: 0, parameters: 0, to: $0) }
        scope.refreshSubject()
        effects.add(.exposed(experiment: plan.experiment.id, variant: name), moment)
    }
}

extension StateOwner {
    /// The owner of the notes that a subject was exposed, each under the id of its experiment. No chain can have a strategy `belfry`.
    static let exposures = StateOwner(strategy: "belfry", entry: "experiment")
}

extension CallScope {
    /// Whether the chain came to a step, whatever that is: its counter was there, its `when` held, and none before it allowed for good.
    func isReached(_ step: Int) -> Bool { step < reached.count && reached[step] }

    /// Whether the counter of a step is there, and its `when` holds, as the candidate is now: filters behind it may change that.
    @inline(never)
    func isMet(_ step: UnsafePointer<ChainStep>) -> Bool {
        hasCounter(step) && (!step.pointee.isConditional || isWanted(step))
    }

    /// Also of a step that is skipped.
    private func hasCounter(_ step: UnsafePointer<ChainStep>) -> Bool {
        let plan = step.pointee.plan.object
        return switch plan.counter {
        case .subject, .campaign: true
        case .trigger: candidate.trigger.object.triggerKey != nil
        case .group: step.pointee.group != nil
        case .channel: candidate.channel != nil
        case .region: candidate.region != nil
        case .data: candidate.dataKey(at: plan.dataPath[...]) != nil
        }
    }
}

extension Engine {
    /// The variants that the candidate of the scope is decided with.
    var variants: [(experiment: String, variant: String)] {
        guard let assigner else { return [] }
        return zip(catalog.experiments, assigner.assignment).compactMap { plan, variant in
            variant < 0 ? nil : (plan.experiment.id, plan.experiment.variants[Int(variant)].name)
        }
    }
}
