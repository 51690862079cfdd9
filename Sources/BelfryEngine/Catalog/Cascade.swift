import BelfryModel

/// What the levels of a configuration say of one chain entry, from the least specific level to the most specific one.
struct Cascade {
    /// The entry's id.
    private let entry: String
    /// Where the entry is in the chain.
    private let index: Int
    /// Those that say something.
    private var levels: [Level] = []

    private struct Level {
        let source: Source
        let place: Place
        let says: Configuration.Level
    }

    /// Where a level is in the document, by positions: paths are for messages.
    private enum Place {
        case entry(Int)
        case region(Int)
        case group(Int)
        case campaign(Int)
        case trigger(Int, campaign: Int)
        case variant(Int, experiment: Int)
    }

    /// Where a parameter comes from.
    enum Source: Hashable {
        case entry
        case region(String)
        case group(String)
        case campaign(String)
        case trigger(String)
        case variant(String, experiment: String)
        /// The strategy's own default.
        case strategy
    }

    /// The entry's own level.
    init(of index: Int, in configuration: Configuration) {
        (entry, self.index) = (configuration.chain[index].id, index)
        add(.entry, .entry(index), configuration.chain[index].parameters.map { .on($0) })
    }

    /// What an entry is asked about, as far as levels speak of it.
    struct Candidate {
        /// Where the entry is in the chain.
        let entry: Int
        let campaign: CampaignPlan
        let trigger: Configuration.Trigger?
        /// Of the trigger among those of the campaign.
        let position: Int
        var region: Int?
        var groups: [GroupPlan] = []
        /// The variants that the subject is in; empty for none.
        var assignment: Assignment = []
    }

    /// All levels for a candidate.
    init(of candidate: Candidate, in configuration: Configuration) {
        self.init(of: candidate.entry, in: configuration)
        if let region = candidate.region {
            add(.region(configuration.regions[region].id), .region(region), configuration.regions[region].with[entry])
        }
        for group in candidate.groups { add(.group(group.group.id), .group(group.index), group.group.with[entry]) }
        let campaign = candidate.campaign
        add(.campaign(campaign.campaign.id), .campaign(campaign.index), campaign.campaign.with[entry])
        for (experiment, variant) in candidate.assignment.enumerated() where variant >= 0 {
            let (experiment, place) = (configuration.experiments[experiment], experiment)
            let chosen = experiment.variants[Int(variant)]
            add(
                .variant(chosen.name, experiment: experiment.id), .variant(Int(variant), experiment: place),
                chosen.with[entry])
        }
        if let trigger = candidate.trigger {
            add(.trigger(trigger.id), .trigger(candidate.position, campaign: campaign.index), trigger.with[entry])
        }
    }

    private mutating func add(_ source: Source, _ place: Place, _ says: Configuration.Level?) {
        if let says { levels.append(Level(source: source, place: place, says: says)) }
    }

    enum Outcome {
        case off
        /// With the parameters that come of all levels; nil if none gives any.
        case on(Value?)
    }

    func resolved(by schema: ParameterSchema) -> Outcome {
        var isOff = false
        var parameters: Value?
        for level in levels {
            switch level.says {
            case .off: isOff = true
            case .on(let values):
                isOff = false
                parameters = parameters.map { schema.merge($0, with: values) } ?? values
            }
        }
        if isOff { return .off }
        // Switched on with nothing to say is no parameters.
        return .on(parameters?.map?.isEmpty == true ? nil : parameters)
    }

    /// The path of the most specific parameters; that of the entry in the chain if no level gives any.
    var mostSpecific: [String] {
        levels.last { if case .on = $0.says { true } else { false } }.map { path(of: $0.place) }
            ?? ["chain", String(index)]
    }

    private func path(of place: Place) -> [String] {
        switch place {
        case .entry(let index): ["chain", String(index), "parameters"]
        case .region(let index): ["regions", String(index), "with", entry]
        case .group(let index): ["groups", String(index), "with", entry]
        case .campaign(let index): ["campaigns", String(index), "with", entry]
        case .trigger(let index, let campaign):
            ["campaigns", String(campaign), "triggers", String(index), "with", entry]
        case .variant(let index, let experiment):
            ["experiments", String(experiment), "variants", String(index), "with", entry]
        }
    }

    /// The level that a parameter has its value from: the most specific one that gives it.
    func source(of key: String) -> Source { giver(of: key)?.source ?? .strategy }

    private func giver(of key: String) -> Level? {
        levels.last { level in
            if case .on(let values) = level.says { values.map?[key] != nil } else { false }
        }
    }

    /// The path of what a sentence of a strategy is about; that of the most specific parameters if it does not say.
    func path(ofWhat sentence: String) -> [String] {
        let steps = Self.steps(of: sentence)
        guard let giver = steps.first.flatMap(giver) else { return mostSpecific }
        return path(of: giver.place) + steps
    }

    /// What a strategy says of its parameters: line by line where each line begins with a parameter that is given, else as a whole.
    func sentences(in text: String) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        return lines.allSatisfy { Self.steps(of: $0).first.flatMap(giver) != nil } && lines.count > 1 ? lines : [text]
    }

    /// The steps to what a sentence begins with: `periods[0].hours: …`, `periods[0].hours is …` or `'drop' is …`.
    private static func steps(of sentence: String) -> [String] {
        let isQuoted = sentence.hasPrefix("'")
        let words = isQuoted ? sentence.dropFirst().prefix { $0 != "'" } : sentence.prefix { $0 != ":" && $0 != " " }
        let rest = sentence[words.endIndex...].dropFirst(isQuoted ? 1 : 0)
        guard [":", " is ", " has "].contains(where: rest.hasPrefix) else { return [] }
        return words.split { ".[]".contains($0) }.map(String.init)
    }

    /// The level that switched the entry off; nil if none did.
    var switchedOff: Source? { levels.last { $0.says == .off }?.source }
}
