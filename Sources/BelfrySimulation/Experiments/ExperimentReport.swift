import BelfryEngine
import BelfryModel

/// What the variants of experiments came to, from the decisions about subjects that were exposed.
///
/// A subject counts from the exposure on, for the variant that it says; no other subject counts.
public struct ExperimentReport {
    /// One for each experiment of the configuration, in its order.
    public private(set) var experiments: [ExperimentOutcome]
    /// The variants that subjects were exposed to, by the places of experiment and variant.
    private var exposed: [SubjectKey: [(experiment: Int, variant: Int)]] = [:]

    public init(_ experiments: [Configuration.Experiment]) {
        self.experiments = experiments.map { ExperimentOutcome($0) }
    }

    /// Takes in the next decision of a journal.
    public mutating func add(_ decision: Fields) {
        guard let subject = decision["subject"]?.text, let data = decision["data"]?.map,
            let time = decision["time"]?.text
        else { return }
        let day = String(time.prefix(10))
        switch decision["type"]?.text {
        case Decision.Kind.exposed.rawValue: expose(subject, data, day)
        case Decision.Kind.created.rawValue: note(subject, day) { $0.created += 1 }
        case Decision.Kind.withheld.rawValue: note(subject, day) { $0.withheld += 1 }
        // A notification counts when it is opened first.
        case Decision.Kind.opened.rawValue where data["firstOpenedAt"]?.text == time:
            note(subject, day) { $0.opened += 1 }
        default: break
        }
    }

    private mutating func expose(_ subject: String, _ data: Fields, _ day: String) {
        guard let index = experiments.firstIndex(where: { $0.id == data["experiment"]?.text }),
            let variant = experiments[index].variants.firstIndex(where: { $0.name == data["variant"]?.text })
        else { return }
        exposed[SubjectKey(subject), default: []].append((index, variant))
        experiments[index].variants[variant].expose(subject, day)
    }

    private mutating func note(_ subject: String, _ day: String, _ change: (inout VariantOutcome.Counts) -> Void) {
        for place in exposed[SubjectKey(subject)] ?? [] {
            experiments[place.experiment].variants[place.variant].note(subject, day, change)
        }
    }

    /// As in `belfry experiments report --json`.
    public var value: Value { ["experiments": .list(experiments.map(\.value))] }

    public var text: String { experiments.map(\.text).joined(separator: "\n\n") }
}
