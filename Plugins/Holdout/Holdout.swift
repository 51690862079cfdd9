import BelfryPlugin

/// Keeps a share of the subjects, always the same ones, out of notifications, so that their effect can be measured.
///
/// A subject's place between 0 and 1 is GrowthBook's hash, version 2, of the seed and the subject (or an attribute): another
/// seed chooses other subjects, and a larger share keeps those of a smaller one. It remembers nothing.
struct Holdout: Strategy {
    static let name = "holdout"
    static let summary = "Keeps a share of the subjects, always the same ones, out of notifications."

    private let parameters: Parameters

    init(_ parameters: Parameters, host: Host) throws(StrategyError) {
        if parameters.attribute != nil { try host.require(.attributes, for: "an attribute") }
        self.parameters = parameters
    }

    func shouldCreate(_ candidate: Candidate, state: NoState, context: Context) -> Verdict {
        guard let value = value(in: context) else { return .abstain }
        let place = GrowthBookHash.place(seed: parameters.seed.utf8, value: value.utf8)
        guard place < parameters.share else { return .allow }
        let message = "held out: one of a share of \(parameters.share)"
        return parameters.consumes ? .withhold(message) : .deny(message)
    }

    /// What is hashed; nil without the attribute. As in GrowthBook an empty text is no value.
    private func value(in context: Context) -> String? {
        guard let attribute = parameters.attribute else { return context.subject }
        switch context.attribute(attribute) {
        case .text(let text)?: return text.isEmpty ? nil : text
        case .integer(let integer)?: return String(integer)
        case .number(let number)?: return Value.number(number).integer.map { String($0) } ?? String(number)
        case .bool(let bool)?: return String(bool)
        case .null?, .list?, .map?, nil: return nil
        }
    }
}

extension Holdout {
    struct Parameters: ParameterList {
        var share = 0.0
        var seed = ""
        var attribute: String?
        var consumes = false

        static var parameters: [Parameter<Self>] {
            [
                .required(
                    "share", \.share, "how much of the subjects is held out, from none (0) to all (1)",
                    range: .within(0...1)),
                .required(
                    "seed", \.seed, "a text of your own: another one holds out other subjects", range: .atLeast(1)),
                .optional(
                    "attribute", \.attribute,
                    "the attribute that is hashed, such as user.household; default: the subject. Without it nobody is held out"
                ),
                .optional(
                    "consumes", \.consumes,
                    "whether everybody else goes on as if it had been created: then it is withheld, not denied"),
            ]
        }
    }
}
