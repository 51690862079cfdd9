import BelfryEngine
import BelfryModel

extension PartReader {
    /// One entry of the chain.
    var entry: Rule<Configuration.Entry> {
        .map { map in
            let strategy = map.required("strategy", strategy)
            let id = map.optional("id", entryID)
            var entry = Configuration.Entry(strategy: strategy ?? "", id: id)
            map.set(&entry.enabled, "enabled", .bool)
            map.set(&entry.per, "per", counter)
            map.set(&entry.parameters, "parameters", .mapping)
            map.set(&entry.control, "control", .choice)
            map.set(&entry.when, "when", condition)
            return strategy == nil ? nil : entry
        }
    }

    private var strategy: Rule<String> {
        Rule<String>.name.then { name, node, reports in
            switch name {
            case "actions":
                reports.add(
                    at: node.place, found: "an entry 'actions' in the chain",
                    expected: "a strategy or filter",
                    fix: "remove the entry: 'actions' runs actions, is always there and gives no verdict")
            case "belfry":
                // Without an id the name is the id.
                reports.add(
                    at: node.place, found: "a strategy 'belfry'", expected: "another name", fix: Self.reserved
                )
            default: return name
            }
            return nil
        }
    }

    private var entryID: Rule<String> {
        Rule<String>.name.then { id, node, reports in
            guard id == "belfry" else { return id }
            return reports.refuse(node, found: "the id 'belfry'", expected: "another id", fix: Self.reserved)
        }
    }

    private static let reserved = "choose another: 'belfry' marks the host's own reasons"

    private var counter: Rule<Configuration.Counter> {
        let names = ["subject", "channel", "campaign", "trigger", "region", "group", "data.<key>"]
        return Rule(
            "one of \(names.joined(separator: ", "))",
            fix: { value in
                guard let text = value.text else { return nil }
                if text == "data" || text == "data." { return "name the key: 'data.<key>'" }
                return nearestMatch(to: text, among: names).map { "did you mean '\($0)'?" }
            }
        ) { $0.text.flatMap { Configuration.Counter($0) } }
    }

    /// A condition on what `when` can see.
    private var condition: Rule<Condition> {
        condition(on: ["campaign", "region", "trigger", "data", "user", "channel"])
    }

    /// A condition on properties that begin with one of these.
    func condition(on roots: [String]) -> Rule<Condition> {
        Rule("a condition") { node, reports in
            do throws(ConditionError) {
                let condition = try Condition(node.value)
                return checkRoots(roots, of: condition, at: node, reports) ? condition : nil
            } catch {
                for problem in error.problems { reports.add(problem, below: node) }
                return nil
            }
        }
    }

    /// A property without a root is null for every candidate, which is never meant.
    private func checkRoots(
        _ roots: [String], of condition: Condition, at node: ConfigurationNode, _ reports: ConfigurationReports
    ) -> Bool {
        let wrong = condition.paths.filter { $0.first.map { !roots.contains($0) } ?? false }
        for path in wrong {
            let property = path.joined(separator: ".")
            reports.add(
                at: node[property]?.place ?? node.place, found: "the property '\(property)'",
                expected: "one that begins with \(roots.map { "\($0)." }.joined(separator: ", "))",
                fix: nearestMatch(to: path[0], among: roots).map { "did you mean '\($0)'?" })
        }
        return wrong.isEmpty
    }

    // MARK: The cascade

    /// A group of campaigns.
    var group: Rule<Configuration.Group> {
        .map { map in
            let id = map.required("id", .name)
            var group = Configuration.Group(id: id ?? "")
            map.set(&group.with, "with", with)
            return id == nil ? nil : group
        }
    }

    /// Parameters for chain entries, by entry id.
    var with: Rule<Configuration.With> {
        Rule("a mapping from chain entries to their parameters") { node, reports in
            guard let members = node.members else {
                if !node.isNull {
                    reports.add(
                        at: node.place, found: node.found,
                        expected: "a mapping from chain entries to parameters")
                }
                return [:]
            }
            var with: Configuration.With = [:]
            for member in members {
                if names.entries.isComplete, !names.entries.contains(member.key) {
                    names.entries.report(member.key, at: member.node.place, reports)
                }
                with[member.key] = level.read(member.node, reports)
            }
            return with
        }
    }

    private var level: Rule<Configuration.Level> {
        let expected = "'off', 'on' or a mapping of parameters"
        return Rule(expected) { node, reports in
            switch node.value {
            case .text("off"), false: return .off
            case .text("on"), true: return .on([:])
            case .map(let parameters): return .on(.map(parameters))
            default:
                return reports.refuse(node, expected: expected)
            }
        }
    }
}
