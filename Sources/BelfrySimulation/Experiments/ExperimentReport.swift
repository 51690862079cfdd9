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
        case Decision.Kind.created.rawValue: note(subject) { $0.create(subject, data["notification"]?.text, day) }
        case Decision.Kind.withheld.rawValue: note(subject) { $0.withhold(day) }
        case Decision.Kind.opened.rawValue: note(subject) { $0.open(subject, data["notification"]?.text, day) }
        default: break
        }
    }

    private mutating func expose(_ subject: String, _ data: Fields, _ day: String) {
        guard let index = experiments.firstIndex(where: { $0.id == data["experiment"]?.text }),
            let variant = experiments[index].variants.firstIndex(where: { $0.name == data["variant"]?.text })
        else { return }
        // Once more after a reset of the subject.
        let key = SubjectKey(subject)
        if exposed[key]?.contains(where: { $0 == (index, variant) }) == true { return }
        exposed[key, default: []].append((index, variant))
        experiments[index].variants[variant].expose(subject, day)
    }

    private mutating func note(_ subject: String, _ change: (inout VariantOutcome) -> Void) {
        for place in exposed[SubjectKey(subject)] ?? [] {
            change(&experiments[place.experiment].variants[place.variant])
        }
    }

    /// As in `belfry experiments report --json`.
    public var value: Value { ["experiments": .list(experiments.map(\.value))] }

    public var text: String { experiments.map(\.text).joined(separator: "\n\n") }
}
