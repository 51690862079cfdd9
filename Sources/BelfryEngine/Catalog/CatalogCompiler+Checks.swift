import BelfryModel
import CBelfry

extension CatalogCompiler {
    mutating func checkZone() {
        if services.zones.zone(named: configuration.timeZone) == nil {
            problems.append(
                ConfigurationProblem(
                    path: ["timeZone"], found: "the unknown time zone '\(configuration.timeZone)'",
                    expected: "an IANA name such as Europe/Amsterdam or UTC"))
        }
    }

    mutating func checkChain() {
        for (index, entry) in configuration.chain.enumerated() {
            let path = ["chain", String(index), "strategy"]
            guard let provider = providers.strategies[entry.strategy] else {
                // An entry that is switched off needs no plugin: that is how one does without.
                unsound.insert(index)
                guard entry.enabled else { continue }
                problems.append(
                    .unknown("strategy", entry.strategy, among: providers.strategies.keys.sorted(), at: path))
                continue
            }
            if case .strategy(let table) = provider.kind { checkOrder(of: table.pointer, at: index) }
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
    mutating func checkLevels() {
        for (index, entry) in configuration.chain.enumerated() {
            guard providers.strategies[entry.strategy] != nil, let parameters = entry.parameters else { continue }
            check(parameters, of: index, at: ["chain", String(index), "parameters"])
        }
        for (path, with) in configuration.levels { check(with, at: path) }
    }

    /// So many combinations of variants may have a say in the parameters of one entry.
    private static let mostCombinations = 1000

    mutating func checkExperiments() {
        for (entry, experiments) in experimentsSaying.sorted(by: { $0.key < $1.key }) {
            let combinations = experiments.reduce(1) { product, experiment in
                min(Self.mostCombinations + 1, product * (configuration.experiments[experiment].variants.count + 1))
            }
            guard combinations > Self.mostCombinations, let last = experiments.last else { continue }
            problems.append(
                ConfigurationProblem(
                    path: ["experiments", String(last)],
                    found:
                        "\(experiments.count) experiments on '\(entry)' with more than \(Self.mostCombinations) combinations",
                    expected: "fewer", fix: "put them into one namespace each, or end some"))
            unsound.formUnion(configuration.chain.indices.filter { configuration.chain[$0].id == entry })
        }
    }

    private mutating func check(_ with: Configuration.With, at path: [String]) {
        for (index, entry) in configuration.chain.enumerated() {
            guard case .on(let parameters)? = with[entry.id], providers.strategies[entry.strategy] != nil else {
                continue
            }
            check(parameters, of: index, at: path + [entry.id])
        }
    }

    private mutating func check(_ parameters: Value, of entry: Int, at path: [String]) {
        let found = schemas[entry].problems(in: parameters, at: path)
        problems += found
        if !found.isEmpty { misconfigured.insert(entry) }
    }
}
