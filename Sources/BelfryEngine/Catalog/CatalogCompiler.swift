import BelfryModel

/// Turns a configuration into the plans of a catalog and collects all that is wrong on the way.
///
/// `+Checks` looks at what each place says by itself, `+Plans` builds what the engine walks, and `+Cascade` resolves parameters
/// and makes the instances.
struct CatalogCompiler {
    let configuration: Configuration
    let providers: Providers
    let services: HostServices
    var problems: [ConfigurationProblem] = []
    var reported: Set<[String]> = []
    /// Entries with something wrong already: what the cascade makes of it would only be a consequence.
    var unsound: Set<Int> = []
    /// Entries with wrong parameters somewhere: what is missing besides is told, and no plugin is asked.
    var misconfigured: Set<Int> = []
    private(set) var schemas: [ParameterSchema] = []
    /// Whether an entry has a counter for each group.
    let countsPerGroup: [Bool]
    /// Instances by entry and parameters, so that equal parameters share one.
    var instances: [InstanceKey: Instance] = [:]

    let constants = ConstantMemory()

    /// The regions that have something to say of an entry, by the entry's id.
    let regionsSaying: [String: [Int]]

    /// The experiments that have something to say of an entry, by the entry's id.
    let experimentsSaying: [String: [Int]]

    struct InstanceKey: Hashable {
        var entry: Int
        var parameters: Value?
    }

    struct Parts {
        var chain: [EntryPlan] = []
        var regions: [RegionPlan] = []
        var campaigns: [CampaignPlan] = []
        var requests: [TriggerPlan] = []
        var triggers: [[TriggerPlan]] = []
    }

    init(_ configuration: Configuration, providers: Providers, services: HostServices) {
        self.configuration = configuration
        self.providers = providers
        self.services = services
        schemas = configuration.chain.map { providers.strategies[$0.strategy]?.parameters ?? .none }
        countsPerGroup = configuration.chain.map {
            ($0.per ?? providers.strategies[$0.strategy]?.defaultCounter) == .group
        }
        regionsSaying = configuration.regions.enumerated().reduce(into: [:]) { result, region in
            for entry in region.element.with.keys { result[entry, default: []].append(region.offset) }
        }
        experimentsSaying = configuration.experiments.enumerated().reduce(into: [:]) { result, experiment in
            for entry in Set(experiment.element.variants.flatMap(\.with.keys)) {
                result[entry, default: []].append(experiment.offset)
            }
        }
    }

    /// The parts are of use only if there are no problems afterwards.
    mutating func compile() -> Parts {
        checkZone()
        checkChain()
        checkLevels()
        checkExperiments()
        var parts = Parts()
        let groups = Dictionary(
            configuration.groups.enumerated().map { ($1.id, GroupPlan($1, index: $0)) },
            uniquingKeysWith: { first, _ in first })
        parts.campaigns = configuration.campaigns.enumerated().map { plan($1, index: $0, groups: groups) }
        let resolved = parts.campaigns.map { resolutions(of: $0) }
        guard problems.isEmpty else { return parts }
        parts.chain = configuration.chain.indices.compactMap { entryPlan($0) }
        let interner = ChainStepInterner(parts.chain)
        for (campaign, resolutions) in zip(parts.campaigns, resolved) {
            let plans = resolutions.enumerated().map { index, resolution in
                TriggerPlan(
                    resolution.trigger, index: index, campaign: campaign, entries: resolution.entries,
                    interner: interner, constants: constants)
            }
            parts.triggers.append(plans.filter { $0.trigger != nil })
            parts.requests.append(plans.first { $0.event == .request }!)  // `resolutions` sees to it
        }
        parts.regions = regionPlans(waitedForBy: Array(parts.triggers.joined()))
        return parts
    }
}
