import BelfryEngine
import BelfryModel

extension PartReader {
    /// Parameters of their own for shares of the subjects.
    var experiment: Rule<Configuration.Experiment> {
        .map { map in
            let id = map.required("id", .name)
            let seed = map.required("seed", .name)
            let variants = map.required("variants", variants)
            var experiment = Configuration.Experiment(id: id ?? "", seed: seed ?? "", variants: variants ?? [])
            map.set(&experiment.share, "share", .number(0...1))
            map.set(&experiment.condition, "where", segment)
            map.set(&experiment.namespace, "namespace", namespace)
            return id == nil || seed == nil || variants == nil ? nil : experiment
        }
    }

    private var variants: Rule<[Configuration.Variant]> {
        Rule("a list of variants, at least one") { node, reports in
            guard let variants = Rule.list(of: variant).read(node, reports) else { return nil }
            unique(node.items ?? [], "variant", reports, expected: "a name of its own", fix: "give one another name") {
                $0["name"]
            }
            guard variants.count == node.items?.count ?? 0 else { return nil }
            guard (1...100).contains(variants.count), variants.contains(where: { $0.weight > 0 }) else {
                return reports.refuse(
                    node,
                    found: variants.isEmpty
                        ? "no variant"
                        : variants.count > 100 ? "\(variants.count) variants" : "variants without weight",
                    expected: "1 to 100 variants, at least one of which has a weight above 0")
            }
            return variants
        }
    }

    private var variant: Rule<Configuration.Variant> {
        .map { map in
            let name = map.required("name", .name)
            var variant = Configuration.Variant(name: name ?? "")
            map.set(&variant.weight, "weight", weight)
            map.set(&variant.with, "with", with)
            return name == nil ? nil : variant
        }
    }

    private var weight: Rule<Double> {
        Rule("a number from 0 to 1000000000") { value in
            value.number.flatMap { $0 >= 0 && $0 <= 1e9 ? $0 : nil }
        }
    }

    /// A condition on attributes, as in `segmentation`.
    private var segment: Rule<Condition> {
        Rule("a condition") { node, reports in
            do throws(ConditionError) {
                return try Condition(node.value)
            } catch {
                for problem in error.problems { reports.add(problem, below: node) }
                return nil
            }
        }
    }

    private var namespace: Rule<Configuration.Namespace> {
        .map { map in
            let id = map.required("id", .name)
            let range = map.required("range", range)
            guard let id, let range else { return nil }
            return Configuration.Namespace(id: id, start: range.0, end: range.1)
        }
    }

    private var range: Rule<(Double, Double)> {
        Rule("two numbers from 0 to 1, the smaller one first") { node, reports in
            let numbers = (node.items ?? []).compactMap(\.value.number)
            if node.items?.count == 2, numbers.count == 2, numbers[0] >= 0, numbers[0] < numbers[1], numbers[1] <= 1 {
                return (numbers[0], numbers[1])
            }
            return reports.refuse(
                node, found: node.items == nil ? node.found : "[\(numbers.map { "\($0)" }.joined(separator: ", "))]",
                expected: "two numbers from 0 to 1, the smaller one first")
        }
    }
}
