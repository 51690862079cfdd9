import BelfryModel

extension CatalogCompiler {
    mutating func resolve(
        _ index: Int, _ trigger: Configuration.Trigger?, at position: Int, of campaign: CampaignPlan
    ) -> EntryResolution {
        guard !unsound.contains(index) else { return EntryResolution(variants: []) }
        let experiments = experimentsSaying[configuration.chain[index].id] ?? []
        var candidate = Cascade.Candidate(entry: index, campaign: campaign, trigger: trigger, position: position)
        var resolution = EntryResolution(variants: variants(for: candidate))
        resolution.experiments = experiments
        for key in choices(of: experiments) {
            candidate.assignment = Assignment(repeating: -1, count: configuration.experiments.count)
            for (experiment, variant) in zip(experiments, key) { candidate.assignment[experiment] = variant }
            resolution.byAssignment[key] = variants(for: candidate)
        }
        return resolution
    }

    /// All combinations of variants, or none, of some experiments; nothing without any.
    private func choices(of experiments: [Int]) -> [Assignment] {
        if experiments.isEmpty { return [] }
        return experiments.reduce([[]]) { keys, experiment in
            let variants = Int8(configuration.experiments[experiment].variants.count)
            return keys.flatMap { key in (-1..<variants).map { key + [$0] } }
        }
    }

    private mutating func variants(for candidate: Cascade.Candidate) -> [EntryResolution.Variant] {
        var candidate = candidate
        let isPerGroup = countsPerGroup[candidate.entry]
        let all = candidate.campaign.groups
        let groups = isPerGroup ? all.map { [$0] } : [all]
        return groups.map { groups in
            (candidate.groups, candidate.region) = (groups, nil)
            var variant = EntryResolution.Variant(group: isPerGroup ? groups.first : nil, base: resolve(candidate))
            for region in regions(of: candidate.trigger, saying: configuration.chain[candidate.entry].id) {
                candidate.region = region
                variant.byRegion[region] = resolve(candidate)
            }
            return variant
        }
    }

    private func regions(of trigger: Configuration.Trigger?, saying entry: String) -> [Int] {
        guard let trigger, let regions = regionsSaying[entry] else { return [] }
        guard case .some(let ids) = trigger.regions else { return regions }
        let set = Set(ids.map { SubjectKey($0) })
        return regions.filter { set.contains(SubjectKey(configuration.regions[$0].id)) }
    }

    private mutating func resolve(_ candidate: Cascade.Candidate) -> Resolution {
        resolve(candidate.entry, Cascade(of: candidate, in: configuration))
    }

    mutating func resolve(_ index: Int, _ cascade: Cascade) -> Resolution {
        guard case .on(let parameters) = cascade.resolved(by: schemas[index]) else { return .off }
        guard parameters != nil || schemas[index].isComplete else { return .unparameterized }
        let key = InstanceKey(entry: index, parameters: parameters)
        if let instance = instances[key] { return .instance(instance) }
        guard let instance = makeInstance(index, parameters, cascade) else { return .off }
        instances[key] = instance
        return .instance(instance)
    }

    private mutating func makeInstance(_ index: Int, _ parameters: Value?, _ cascade: Cascade) -> Instance? {
        let missing = parameters.map { schemas[index].missing(in: $0, at: cascade.mostSpecific) } ?? []
        guard missing.isEmpty else {
            report(missing)
            return nil
        }
        if misconfigured.contains(index) { return nil }
        let provider = providers.strategies[configuration.chain[index].strategy]!
        let made = Instance.make(
            of: provider, for: configuration.chain[index].id, schema: schemas[index], parameters: parameters, services)
        guard let instance = made.instance else {
            let name = configuration.chain[index].strategy
            report(cascade.sentences(in: made.error).map { refusal($0, of: name, provider, parameters, cascade) })
            return nil
        }
        return instance
    }

    /// - Parameter sentence: what the plugin says; empty if it says nothing, which is a fault of the plugin.
    private func refusal(
        _ sentence: String, of name: String, _ provider: Providers.Strategy, _ parameters: Value?, _ cascade: Cascade
    ) -> ConfigurationProblem {
        let expected = "parameters that '\(name)' accepts"
        guard sentence.isEmpty else {
            return ConfigurationProblem(path: cascade.path(ofWhat: sentence), found: sentence, expected: expected)
        }
        let what = parameters == nil ? "no parameters, which" : "parameters that"
        return ConfigurationProblem(
            path: cascade.mostSpecific, found: "\(what) '\(name)' refuses without saying why", expected: expected,
            fix: "report it to the author of the plugin '\(provider.plugin)', which has to say what is wrong")
    }

    /// One place may take part in many combinations; it is reported once.
    private mutating func report(_ new: [ConfigurationProblem]) {
        for problem in new where reported.insert(problem.path + [problem.found]).inserted { problems.append(problem) }
    }
}
