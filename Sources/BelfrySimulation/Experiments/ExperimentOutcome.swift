import BelfryEngine
import BelfryModel
import Foundation

/// What one experiment came to, variant by variant; the first is what the others are compared with.
public struct ExperimentOutcome: Sendable {
    public let id: String
    public internal(set) var variants: [VariantOutcome]

    init(_ experiment: Configuration.Experiment) {
        id = experiment.id
        variants = experiment.variants.map { VariantOutcome(name: $0.name, weight: $0.weight) }
    }

    var exposed: Int { variants.reduce(0) { $0 + $1.total.exposed } }

    /// The p-value of a sample ratio mismatch: how likely sizes are that differ so much from the weights. Below 0.001 subjects are not
    /// exposed as they are drawn, and no other figure can be trusted. Nil if no subject is exposed.
    public var ratioCheck: Double? {
        let weights = variants.reduce(0) { $0 + $1.weight }
        let drawn = variants.filter { $0.weight > 0 }
        guard exposed > 0, drawn.count > 1 else { return nil }
        let statistic = drawn.reduce(0) { sum, variant in
            let expected = Double(exposed) * variant.weight / weights
            let difference = Double(variant.total.exposed) - expected
            return sum + difference * difference / expected
        }
        return Self.probability(of: statistic, degrees: Double(drawn.count - 1))
    }

    /// Of a chi-square value that is not less: exact for one degree of freedom, else by Wilson and Hilferty.
    private static func probability(of statistic: Double, degrees: Double) -> Double {
        if degrees == 1 { return erfc((statistic / 2).squareRoot()) }
        let spread = 2 / (9 * degrees)
        return 0.5 * erfc((cbrt(statistic / degrees) - (1 - spread)) / (2 * spread).squareRoot())
    }

    /// Below it the sizes are no accident.
    private static let suspicion = 0.001

    // MARK: Told

    var value: Value {
        var fields: Fields = ["experiment": .text(id), "exposed": .integer(Int64(exposed))]
        if let ratioCheck {
            fields["ratio"] = ["p": .number(ratioCheck), "isSuspicious": .bool(ratioCheck < Self.suspicion)]
        }
        fields["variants"] = .list(variants.enumerated().map { value(of: $1, isBase: $0 == 0) })
        return .map(fields)
    }

    private func value(of variant: VariantOutcome, isBase: Bool) -> Value {
        var fields = Fields([("variant", .text(variant.name))] + variant.total.members)
        fields["perSubject"] = .number(variant.perSubject.value)
        fields["openedShare"] = .number(variant.openings.value)
        if !isBase {
            fields["difference"] = .map(
                Fields([
                    ("perSubject", interval(variant.perSubject, variants[0].perSubject)),
                    ("openedShare", interval(variant.openings, variants[0].openings)),
                ]))
        }
        fields["days"] = .list(
            variant.days.sorted { $0.key < $1.key }.map {
                .map(Fields([("day", .text($0.key))] + $0.value.members))
            })
        return .map(fields)
    }

    /// A difference with the ends of its 95 % interval; null where there is too little to say.
    private func interval(_ one: Estimate, _ other: Estimate) -> Value {
        guard let (value, margin) = one.difference(from: other) else { return .null }
        return ["value": .number(value), "from": .number(value - margin), "to": .number(value + margin)]
    }

    var text: String {
        var table = NumberTable(
            [
                "variant", "subjects", "created", "per subject", "opened", "withheld", "difference per subject",
                "of openings",
            ],
            numbers: 1...5)
        for (index, variant) in variants.enumerated() {
            let base = index == 0 ? nil : variants[0]
            table.add([
                variant.name, "\(variant.total.exposed)", "\(variant.total.created)",
                String(format: "%.2f", variant.perSubject.value), "\(variant.total.opened)",
                "\(variant.total.withheld)",
                base.map { Self.text(variant.perSubject.difference(from: $0.perSubject)) } ?? "",
                base.map { Self.text(variant.openings.difference(from: $0.openings)) } ?? "",
            ])
        }
        return (["experiment '\(id)': \(exposed) exposed", table.text] + (warning.map { [$0] } ?? [])).joined(
            separator: "\n")
    }

    private static func text(_ difference: (value: Double, margin: Double)?) -> String {
        guard let difference else { return "too few" }
        return String(format: "%+.3f ± %.3f", difference.value, difference.margin)
    }

    /// Why nothing of it is to be trusted; nil as far as that can be told.
    var warning: String? {
        guard let ratioCheck, ratioCheck < Self.suspicion else { return nil }
        return String(
            format:
                "the sizes do not fit the weights (p = %.2g): something decides who is exposed; trust nothing of this",
            ratioCheck)
    }
}

extension VariantOutcome.Counts {
    fileprivate var members: [(String, Value)] {
        [
            ("exposed", .integer(Int64(exposed))), ("created", .integer(Int64(created))),
            ("opened", .integer(Int64(opened))), ("withheld", .integer(Int64(withheld))),
        ]
    }
}
