import BelfryModel

extension CatalogCompiler {
    mutating func plan(
        _ campaign: Configuration.Campaign, index: Int, groups: [String: GroupPlan]
    ) -> CampaignPlan {
        CampaignPlan(
            campaign, index: index,
            title: template(campaign.title, at: ["campaigns", String(index), "title"]),
            message: template(campaign.message, at: ["campaigns", String(index), "message"]),
            groups: campaign.groups.compactMap { groups[$0] })
    }

    private mutating func template(_ text: String?, at path: [String]) -> Template? {
        guard let text else { return nil }
        do {
            return try Template(text)
        } catch {
            problems.append(
                ConfigurationProblem(path: path, found: error.found, expected: "a template", fix: error.fix))
            return nil
        }
    }

    struct TriggerResolution {
        /// Nil for requests that no trigger of the campaign waits for.
        let trigger: Configuration.Trigger?
        let entries: [EntryResolution]
    }

    /// What the cascade yields for every trigger of a campaign, and for its requests.
    mutating func resolutions(of campaign: CampaignPlan) -> [TriggerResolution] {
        var triggers: [Configuration.Trigger?] = campaign.campaign.triggers
        if !triggers.contains(where: { $0?.on == .request }) { triggers.append(nil) }
        return triggers.enumerated().map { index, trigger in
            TriggerResolution(
                trigger: trigger,
                entries: configuration.chain.indices.map { resolve($0, trigger, at: index, of: campaign) })
        }
    }

    /// Goes through the triggers rather than the regions, of which there may be a hundred thousand.
    func regionPlans(waitedForBy triggers: [TriggerPlan]) -> [RegionPlan] {
        var anywhere: [TriggerPlan] = []
        var somewhere: [String: [TriggerPlan]] = [:]
        for trigger in triggers {
            switch trigger.trigger!.regions {
            case .all: anywhere.append(trigger)
            case .some(let regions): for region in regions { somewhere[region, default: []].append(trigger) }
            }
        }
        return configuration.regions.enumerated().map { index, region in
            let own = somewhere[region.id] ?? []
            return RegionPlan(
                region, index: index,
                triggers: own.isEmpty ? anywhere : (anywhere + own).sorted(by: TriggerPlan.inFileOrder),
                constants: constants)
        }
    }

    /// Nil for an entry that is switched off and has no plugin.
    mutating func entryPlan(_ index: Int) -> EntryPlan? {
        let entry = configuration.chain[index]
        guard let provider = providers.strategies[entry.strategy] else { return nil }
        let path = ["chain", String(index), "parameters"]
        var base: Instance?
        let isCompleted = instances.contains { $0.key.entry == index }
        let known = problems.count
        // What is missing here may be given by every campaign; if one does not, that was reported with its trigger.
        if entry.parameters.map({ schemas[index].missing(in: $0, at: path).isEmpty }) ?? true,
            case .instance(let own) = resolve(index, Cascade(of: index, in: configuration))
        {
            base = own
        }
        // The plugin, too, may find that something is missing.
        if isCompleted { problems.removeSubrange(known...) }
        // Deterministic: the smallest parameters by their text.
        base =
            base
            ?? instances.filter { $0.key.entry == index }.min {
                $0.key.parameters?.json ?? "" < $1.key.parameters?.json ?? ""
            }?.value
        return EntryPlan(
            entry, index: index, provider: provider, receipts: providers.receipts[entry.strategy],
            isToldOfHappened: providers.toldOfHappened.contains(entry.strategy), schema: schemas[index], base: base,
            directory: services.states)
    }
}
