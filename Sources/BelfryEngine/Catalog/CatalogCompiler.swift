import BelfryModel
import CBelfry

/// Turns a configuration into the plans of a catalog and collects all that is wrong on the way.
struct CatalogCompiler {
    let configuration: Configuration
    let providers: Providers
    let services: HostServices
    var problems: [ConfigurationProblem] = []
    private var reported: Set<[String]> = []
    /// Entries with something wrong already: what the cascade makes of it would only be a consequence.
    private var unsound: Set<Int> = []
    private var schemas: [ParameterSchema] = []
    /// Instances by entry and parameters, so that equal parameters share one.
    private var instances: [InstanceKey: Instance] = [:]

    /// The regions that have something to say of an entry, by the entry's id.
    private let regionsSaying: [String: [Int]]

    private struct InstanceKey: Hashable {
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
        regionsSaying = configuration.regions.enumerated().reduce(into: [:]) { result, region in
            for entry in region.element.with.keys { result[entry, default: []].append(region.offset) }
        }
    }

    /// The parts are of use only if there are no problems afterwards.
    mutating func compile() -> Parts {
        checkZone()
        checkChain()
        checkLevels()
        var parts = Parts()
        let groups = Dictionary(
            configuration.groups.map { ($0.id, GroupPlan($0)) }, uniquingKeysWith: { first, _ in first })
        parts.campaigns = configuration.campaigns.enumerated().map { plan($1, index: $0, groups: groups) }
        for campaign in parts.campaigns {
            let triggers = campaign.campaign.triggers.enumerated().map { plan($1, index: $0, of: campaign) }
            parts.triggers.append(triggers)
            parts.requests.append(
                triggers.first { $0.event == .request } ?? plan(nil, index: triggers.count, of: campaign))
        }
        guard problems.isEmpty else { return parts }
        parts.regions = regionPlans(waitedForBy: Array(parts.triggers.joined()))
        parts.chain = configuration.chain.indices.map { entryPlan($0) }
        return parts
    }
}

// MARK: Checks

extension CatalogCompiler {
    private mutating func checkZone() {
        if services.zones.zone(named: configuration.timeZone) == nil {
            problems.append(
                ConfigurationProblem(
                    path: ["timeZone"], found: "the unknown time zone '\(configuration.timeZone)'",
                    expected: "an IANA name such as Europe/Amsterdam or UTC"))
        }
    }

    private mutating func checkChain() {
        for (index, entry) in configuration.chain.enumerated() {
            let path = ["chain", String(index), "strategy"]
            guard let provider = providers.strategies[entry.strategy] else {
                problems.append(
                    .unknown("strategy", entry.strategy, among: providers.strategies.keys.sorted(), at: path))
                unsound.insert(index)
                continue
            }
            if case .strategy(let table) = provider.kind { checkOrder(of: table, at: index) }
        }
    }

    /// A strategy may say that it belongs before or after another.
    private mutating func checkOrder(of table: UnsafePointer<belfry_strategy>, at index: Int) {
        let reason = table.pointee.order_reason.string
        let others = configuration.chain.enumerated()
        for name in texts(table.pointee.before, table.pointee.before_count) {
            for (other, entry) in others where entry.strategy == name && other < index {
                refuseOrder(of: index, "before", entry.id, reason)
            }
        }
        for name in texts(table.pointee.after, table.pointee.after_count) {
            for (other, entry) in others where entry.strategy == name && other > index {
                refuseOrder(of: index, "after", entry.id, reason)
            }
        }
    }

    private mutating func refuseOrder(of index: Int, _ relation: String, _ other: String, _ reason: String?) {
        let id = configuration.chain[index].id
        problems.append(
            ConfigurationProblem(
                path: ["chain", String(index)],
                found: "'\(id)' \(relation == "before" ? "after" : "before") '\(other)'",
                expected: "'\(id)' \(relation) '\(other)'" + (reason.map { ": \($0)" } ?? ""),
                fix: "belfry strategies move \(id) --\(relation) \(other)"))
    }

    /// Checks the parameters of every level on their own; what is missing shows only after the cascade.
    private mutating func checkLevels() {
        for (index, entry) in configuration.chain.enumerated() {
            guard providers.strategies[entry.strategy] != nil, let parameters = entry.parameters else { continue }
            check(parameters, of: index, at: ["chain", String(index), "parameters"])
        }
        for (index, region) in configuration.regions.enumerated() {
            check(region.with, at: ["regions", String(index)])
        }
        for (index, group) in configuration.groups.enumerated() { check(group.with, at: ["groups", String(index)]) }
        for (index, campaign) in configuration.campaigns.enumerated() {
            check(campaign.with, at: ["campaigns", String(index)])
            for (position, trigger) in campaign.triggers.enumerated() {
                check(trigger.with, at: ["campaigns", String(index), "triggers", String(position)])
            }
        }
    }

    private mutating func check(_ with: Configuration.With, at path: [String]) {
        for (index, entry) in configuration.chain.enumerated() {
            guard case .on(let parameters)? = with[entry.id], providers.strategies[entry.strategy] != nil else {
                continue
            }
            check(parameters, of: index, at: path + ["with", entry.id])
        }
    }

    private mutating func check(_ parameters: Value, of entry: Int, at path: [String]) {
        let found = schemas[entry].problems(in: parameters, at: path)
        problems += found
        if !found.isEmpty { unsound.insert(entry) }
    }
}

// MARK: Plans

extension CatalogCompiler {
    private mutating func plan(
        _ campaign: Configuration.Campaign, index: Int, groups: [String: GroupPlan]
    ) -> CampaignPlan {
        CampaignPlan(
            campaign, index: index,
            title: template(campaign.title, at: ["campaigns", String(index), "title"]),
            message: template(campaign.message, at: ["campaigns", String(index), "message"]),
            buttons: configuration.categories.first { $0.id == campaign.category }?.buttons ?? [],
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

    private mutating func plan(_ trigger: Configuration.Trigger?, index: Int, of campaign: CampaignPlan) -> TriggerPlan
    {
        let entries = configuration.chain.indices.map { resolve($0, trigger, at: index, of: campaign) }
        return TriggerPlan(trigger, index: index, campaign: campaign, entries: entries)
    }

    /// Goes through the triggers rather than the regions, of which there may be a hundred thousand.
    private func regionPlans(waitedForBy triggers: [TriggerPlan]) -> [RegionPlan] {
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
                triggers: own.isEmpty ? anywhere : (anywhere + own).sorted(by: TriggerPlan.inFileOrder))
        }
    }

    private mutating func entryPlan(_ index: Int) -> EntryPlan {
        let entry = configuration.chain[index]
        let path = ["chain", String(index), "parameters"]
        var base: Instance?
        let isCompleted = instances.contains { $0.key.entry == index }
        let known = problems.count
        // What is missing here may be given by every campaign; if one does not, that was reported with its trigger.
        if entry.parameters.map({ schemas[index].missing(in: $0, at: path).isEmpty }) ?? true,
            case .instance(let own) = resolve(index, [(path, entry.parameters.map { .on($0) })])
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
            entry, index: index, provider: providers.strategies[entry.strategy]!, schema: schemas[index], base: base)
    }
}

// MARK: The cascade

extension CatalogCompiler {
    private typealias Levels = [(path: [String], level: Configuration.Level?)]

    private mutating func resolve(
        _ index: Int, _ trigger: Configuration.Trigger?, at position: Int, of campaign: CampaignPlan
    ) -> EntryResolution {
        guard !unsound.contains(index) else { return EntryResolution(variants: []) }
        let entry = configuration.chain[index]
        let counter = entry.per ?? providers.strategies[entry.strategy]!.defaultCounter
        let groups: [[GroupPlan]] = counter == .group ? campaign.groups.map { [$0] } : [campaign.groups]
        return EntryResolution(
            variants: groups.map { groups in
                EntryResolution.Variant(
                    group: counter == .group ? groups.first : nil,
                    base: resolve(index, levels(index, region: nil, groups, campaign, trigger, position)),
                    byRegion: regions(of: trigger, saying: entry.id).reduce(into: [:]) { result, region in
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

    /// From the least specific level to the most specific one.
    private func levels(
        _ index: Int, region: Int?, _ groups: [GroupPlan], _ campaign: CampaignPlan, _ trigger: Configuration.Trigger?,
        _ position: Int
    ) -> Levels {
        let entry = configuration.chain[index]
        let campaignPath = ["campaigns", String(campaign.index)]
        var levels: Levels = [(["chain", String(index), "parameters"], entry.parameters.map { .on($0) })]
        if let region {
            levels.append(
                (["regions", String(region), "with", entry.id], configuration.regions[region].with[entry.id]))
        }
        for group in groups {
            let position = configuration.groups.firstIndex { $0.id == group.group.id } ?? 0
            levels.append((["groups", String(position), "with", entry.id], group.group.with[entry.id]))
        }
        levels.append((campaignPath + ["with", entry.id], campaign.campaign.with[entry.id]))
        levels.append((campaignPath + ["triggers", String(position), "with", entry.id], trigger?.with[entry.id]))
        return levels
    }

    private mutating func resolve(_ index: Int, _ levels: Levels) -> Resolution {
        var isOff = false
        var parameters: Value?
        var mostSpecific: [String] = []
        for (path, level) in levels {
            switch level {
            case nil: continue
            case .off: isOff = true
            case .on(let values):
                isOff = false
                parameters = parameters.map { schemas[index].merge($0, with: values) } ?? values
                mostSpecific = path
            }
        }
        if isOff { return .off }
        // Switched on with nothing to say is no parameters.
        if parameters?.map?.isEmpty == true { parameters = nil }
        guard parameters != nil || schemas[index].isComplete else { return .unparameterized }
        return instance(index, parameters, at: mostSpecific).map { .instance($0) } ?? .off
    }

    private mutating func instance(_ index: Int, _ parameters: Value?, at path: [String]) -> Instance? {
        let key = InstanceKey(entry: index, parameters: parameters)
        if let instance = instances[key] { return instance }
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
        instances[key] = instance
        return instance
    }

    /// One place may take part in many combinations; it is reported once.
    private mutating func report(_ new: [ConfigurationProblem]) {
        for problem in new where reported.insert(problem.path + [problem.found]).inserted { problems.append(problem) }
    }
}
