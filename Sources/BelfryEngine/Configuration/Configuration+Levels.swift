extension Configuration {
    /// Every `with` that says something, and the keys that lead to it: from the least specific level to the most specific one. Before
    /// them all come the parameters of the entries of the chain themselves.
    package var levels: [(path: [String], with: With)] {
        var levels: [(path: [String], with: With)] = []
        // There may be a hundred thousand regions, most of which say nothing.
        func add(_ with: With, at path: @autoclosure () -> [String]) {
            if !with.isEmpty { levels.append((path() + ["with"], with)) }
        }
        for (index, region) in regions.enumerated() { add(region.with, at: ["regions", String(index)]) }
        for (index, group) in groups.enumerated() { add(group.with, at: ["groups", String(index)]) }
        for (index, campaign) in campaigns.enumerated() {
            add(campaign.with, at: ["campaigns", String(index)])
            for (position, trigger) in campaign.triggers.enumerated() {
                add(trigger.with, at: ["campaigns", String(index), "triggers", String(position)])
            }
        }
        for (index, experiment) in experiments.enumerated() {
            for (position, variant) in experiment.variants.enumerated() {
                add(variant.with, at: ["experiments", String(index), "variants", String(position)])
            }
        }
        return levels
    }
}
