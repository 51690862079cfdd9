import BelfryModel
import CBelfry

extension CatalogCompiler {
    mutating func resolve(
        _ index: Int, _ trigger: Configuration.Trigger?, at position: Int, of campaign: CampaignPlan
    ) -> EntryResolution {
        guard !unsound.contains(index) else { return EntryResolution(variants: []) }
        let isPerGroup = countsPerGroup[index]
        let groups: [[GroupPlan]] = isPerGroup ? campaign.groups.map { [$0] } : [campaign.groups]
        return EntryResolution(
            variants: groups.map { groups in
                EntryResolution.Variant(
                    group: isPerGroup ? groups.first : nil,
                    base: resolve(index, levels(index, region: nil, groups, campaign, trigger, position)),
                    byRegion: regions(of: trigger, saying: configuration.chain[index].id).reduce(into: [:]) {
                        result, region in
                        result[region] = resolve(
                            index, levels(index, region: region, groups, campaign, trigger, position))
                    })
            })
    }

    private func regions(of trigger: Configuration.Trigger?, saying entry: String) -> [Int] {
        guard let trigger, let regions = regionsSaying[entry] else { return [] }
        guard case .some(let ids) = trigger.regions else { return regions }
        let set = Set(ids)
        return regions.filter { set.contains(configuration.regions[$0].id) }
    }

    private func levels(
        _ index: Int, region: Int?, _ groups: [GroupPlan], _ campaign: CampaignPlan, _ trigger: Configuration.Trigger?,
        _ position: Int
    ) -> Cascade {
        Cascade(
            of: index, in: configuration, region: region, groups: groups, campaign: campaign, trigger: trigger,
            at: position)
    }

    mutating func resolve(_ index: Int, _ cascade: Cascade) -> Resolution {
        guard case .on(let parameters) = cascade.resolved(by: schemas[index]) else { return .off }
        guard parameters != nil || schemas[index].isComplete else { return .unparameterized }
        let key = InstanceKey(entry: index, parameters: parameters)
        if let instance = instances[key] { return .instance(instance) }
        guard let instance = makeInstance(index, parameters, at: cascade.mostSpecific) else { return .off }
        instances[key] = instance
        return .instance(instance)
    }

    private mutating func makeInstance(_ index: Int, _ parameters: Value?, at path: [String]) -> Instance? {
        let missing = parameters.map { schemas[index].missing(in: $0, at: path) } ?? []
        guard missing.isEmpty else {
            report(missing)
            return nil
        }
        let provider = providers.strategies[configuration.chain[index].strategy]!
        let made = Instance.make(of: provider, schema: schemas[index], parameters: parameters, host: services.pointer)
        guard let instance = made.instance else {
            let found =
                made.error.isEmpty
                ? "parameters that '\(configuration.chain[index].strategy)' refuses without a word" : made.error
            report([
                ConfigurationProblem(
                    path: path, found: found,
                    expected: "parameters that '\(configuration.chain[index].strategy)' accepts")
            ])
            return nil
        }
        return instance
    }

    /// One place may take part in many combinations; it is reported once.
    private mutating func report(_ new: [ConfigurationProblem]) {
        for problem in new where reported.insert(problem.path + [problem.found]).inserted { problems.append(problem) }
    }
}
