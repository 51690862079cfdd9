import BelfryModel

/// A configuration compiled once into what the engine walks. Immutable; a new configuration is a new catalog.
public final class Catalog: Sendable {
    public let configuration: Configuration
    public let services: HostServices
    let zone: Zone
    let chain: [EntryPlan]
    let regions: [RegionPlan]
    let campaigns: [CampaignPlan]
    let regionByID: NameTable<RegionPlan>
    /// What a request of a campaign asks, by the campaign's id.
    let requests: NameTable<TriggerPlan>
    /// All triggers with an id, by the campaign's index.
    let triggers: [[TriggerPlan]]
    /// The configured buttons by category, as in `buttons` of a decision.
    let buttons: [SubjectKey: [Value]]
    /// What waits for a type of signal, in the order of candidates.
    let signalTriggers: [SubjectKey: [TriggerPlan]]
    let fences: GeofenceIndex
    /// Beacon regions by uuid in lower case.
    let beaconRegions: [String: [RegionPlan]]
    /// Whether some strategy wants to know which regions are watched.
    let isMonitored: Bool
    /// Whether some strategy wants to hear of receipts.
    let hearsReceipts: Bool
    let hasSilences: Bool
    /// Whether only so many notifications may be current.
    let hasSlot: Bool
    let limits: SubjectRecord.Limits
    let experiments: [ExperimentPlan]
    let actions: ActionRegistry<Providers.Action>
    let constants: ConstantMemory
    /// The beginnings of decisions.
    let lineHeads: LineHeads

    /// Resolves references, checks parameters against their descriptions and makes every instance that the cascade yields.
    ///
    /// - Throws: every problem found, in the order of the document.
    public init(
        _ configuration: Configuration, providers: Providers, services: HostServices
    ) throws(ConfigurationProblems) {
        var compiler = CatalogCompiler(configuration, providers: providers, services: services)
        let parts = compiler.compile()
        guard compiler.problems.isEmpty, let zone = services.zones.zone(named: configuration.timeZone) else {
            throw ConfigurationProblems(compiler.problems)
        }
        self.configuration = configuration
        self.services = services
        self.zone = zone
        chain = parts.chain
        regions = parts.regions
        campaigns = parts.campaigns
        triggers = parts.triggers
        regionByID = NameTable(regions) { $0.id }
        requests = NameTable(parts.requests) { $0.campaign.id }
        buttons = Self.buttons(of: configuration.categories)
        signalTriggers = Self.bySignal(triggers)
        fences = GeofenceIndex(of: regions)
        beaconRegions = Self.byUUID(regions)
        isMonitored = chain.contains { $0.entry.enabled && $0.strategy?.pointee.on_start_monitoring != nil }
        hearsReceipts = chain.contains { $0.receipts != nil }
        hasSilences = !configuration.silences.isEmpty
        hasSlot = configuration.currentLimit != nil
        limits = SubjectRecord.Limits(configuration)
        experiments = configuration.experiments.map { ExperimentPlan($0) }
        if !experiments.isEmpty { services.states.add(.exposures, .saved(version: 0)) }
        actions = providers.actions
        constants = compiler.constants
        lineHeads = LineHeads(source: configuration.app)
    }

    func campaign(_ id: String) -> CampaignPlan? { requests[id]?.campaign }

    func trigger(_ id: String?, of campaign: CampaignPlan) -> TriggerPlan? {
        guard let id else { return requests[campaign.campaign.id] }
        return triggers[campaign.index].first { $0.trigger?.id.isSameText(as: id) == true }
    }

    /// The types of signals that triggers wait for.
    public var awaitedTypes: Set<String> { Set(signalTriggers.keys.map(\.text)) }

    public func knowsRegion(_ id: String) -> Bool { regionByID.lent(id) != nil }
    public func knowsCampaign(_ id: String) -> Bool { requests.lent(id) != nil }
}

// What is derived from the parts of a configuration.

extension Catalog {
    private static func buttons(of categories: [Configuration.Category]) -> [SubjectKey: [Value]] {
        Dictionary(
            categories.map { (SubjectKey($0.id), $0.buttons.map(\.value)) }, uniquingKeysWith: { first, _ in first })
    }

    private static func bySignal(_ triggers: [[TriggerPlan]]) -> [SubjectKey: [TriggerPlan]] {
        let waiting = triggers.joined().filter { if case .signal = $0.event { true } else { false } }
        return Dictionary(grouping: waiting) { SubjectKey($0.event.name) }
            .mapValues { $0.sorted(by: TriggerPlan.inOrder) }
    }

    private static func byUUID(_ regions: [RegionPlan]) -> [String: [RegionPlan]] {
        Dictionary(grouping: regions.filter { !$0.isGeofence }) { plan in
            if case .beacon(let uuid, _, _) = plan.region.kind { uuid.lowercased() } else { "" }
        }
    }
}

extension GeofenceIndex {
    fileprivate init(of regions: [RegionPlan]) {
        self.init(
            regions.compactMap { plan in
                guard case .geofence(let center, let radius) = plan.region.kind else { return nil }
                return (region: plan.index, center: center, radius: radius)
            })
    }
}

extension SubjectRecord.Limits {
    /// A slot is freed by deletion only: where there are so many, nothing is created.
    fileprivate init(_ configuration: Configuration) {
        self.init(
            history: configuration.historyLimit,
            held: max(configuration.historyLimit, configuration.currentLimit ?? 0))
    }
}

/// Everything that is wrong with a configuration.
public struct ConfigurationProblems: Error, Sendable {
    public var problems: [ConfigurationProblem]

    public init(_ problems: [ConfigurationProblem]) { self.problems = problems }
}
