import BelfryModel

/// What the levels of a configuration say of one chain entry, from the least specific level to the most specific one.
struct Cascade {
    private(set) var levels: [Level] = []

    struct Level {
        let source: Source
        /// Its place in the document.
        let path: [String]
        let says: Configuration.Level?
    }

    /// Where a parameter comes from.
    enum Source: Hashable {
        case entry
        case region(String)
        case group(String)
        case campaign(String)
        case trigger(String)
        /// The strategy's own default.
        case strategy
    }

    /// The entry's own level.
    init(of index: Int, in configuration: Configuration) {
        add(.entry, ["chain", String(index), "parameters"], configuration.chain[index].parameters.map { .on($0) })
    }

    /// All levels for a candidate.
    ///
    /// - Parameter position: of the trigger among those of the campaign.
    init(
        of index: Int, in configuration: Configuration, region: Int?, groups: [GroupPlan], campaign: CampaignPlan,
        trigger: Configuration.Trigger?, at position: Int
    ) {
        self.init(of: index, in: configuration)
        let entry = configuration.chain[index].id
        if let region {
            let plan = configuration.regions[region]
            add(.region(plan.id), ["regions", String(region), "with", entry], plan.with[entry])
        }
        for group in groups {
            let place = configuration.groups.firstIndex { $0.id == group.group.id } ?? 0
            add(.group(group.group.id), ["groups", String(place), "with", entry], group.group.with[entry])
        }
        let path = ["campaigns", String(campaign.index)]
        add(.campaign(campaign.campaign.id), path + ["with", entry], campaign.campaign.with[entry])
        if let trigger {
            add(.trigger(trigger.id), path + ["triggers", String(position), "with", entry], trigger.with[entry])
        }
    }

    private mutating func add(_ source: Source, _ path: [String], _ says: Configuration.Level?) {
        levels.append(Level(source: source, path: path, says: says))
    }

    /// The parameters that come of it, nil if nobody gives any, and the place of the most specific ones. Nil where it is off.
    func resolved(by schema: ParameterSchema) -> (parameters: Value?, mostSpecific: [String])? {
        var isOff = false
        var parameters: Value?
        var mostSpecific: [String] = []
        for level in levels {
            switch level.says {
            case nil: continue
            case .off: isOff = true
            case .on(let values):
                isOff = false
                parameters = parameters.map { schema.merge($0, with: values) } ?? values
                mostSpecific = level.path
            }
        }
        // Switched on with nothing to say is no parameters.
        return isOff ? nil : (parameters?.map?.isEmpty == true ? nil : parameters, mostSpecific)
    }

    /// The level that a parameter has its value from: the most specific one that gives it.
    func source(of key: String) -> Source {
        let giver = levels.last { level in
            if case .on(let values) = level.says { values.map?[key] != nil } else { false }
        }
        return giver?.source ?? .strategy
    }

    /// The level that switched the entry off; nil if none did.
    var switchedOff: Source? { levels.last { $0.says == .off }?.source }
}
