import BelfryModel

/// What became of those who were exposed to one variant.
public struct VariantOutcome: Sendable {
    public struct Counts: Sendable, Hashable {
        public var exposed = 0
        public var created = 0
        public var withheld = 0
        /// Notifications that were opened, each once.
        public var opened = 0
    }

    public let name: String
    let weight: Double
    public private(set) var total = Counts()
    public private(set) var days: [String: Counts] = [:]
    /// How much was created for each subject.
    private var created: [SubjectKey: Int] = [:]
    /// Notifications that were created and not opened yet, by a hash of subject and id.
    private var unopened: Set<UInt64> = []

    init(name: String, weight: Double) { (self.name, self.weight) = (name, weight) }

    mutating func expose(_ subject: String, _ day: String) {
        created[SubjectKey(subject)] = 0
        count(day) { $0.exposed += 1 }
    }

    mutating func create(_ subject: String, _ notification: String?, _ day: String) {
        count(day) { $0.created += 1 }
        created[SubjectKey(subject), default: 0] += 1
        unopened.insert(Self.hash(subject, notification))
    }

    mutating func withhold(_ day: String) { count(day) { $0.withheld += 1 } }

    /// Only a notification that was counted as created, and its first opening only.
    mutating func open(_ subject: String, _ notification: String?, _ day: String) {
        if unopened.remove(Self.hash(subject, notification)) != nil { count(day) { $0.opened += 1 } }
    }

    private static func hash(_ subject: String, _ notification: String?) -> UInt64 {
        stableHash(notification ?? "", seed: stableHash(subject))
    }

    private mutating func count(_ day: String, _ change: (inout Counts) -> Void) {
        change(&total)
        change(&days[day, default: Counts()])
    }

    /// Notifications per subject.
    var perSubject: Estimate {
        Estimate(mean: created.values.map(Double.init))
    }

    /// How many of the notifications were opened.
    var openings: Estimate { Estimate(share: total.opened, of: total.created) }
}

/// A mean, and how sure it is.
struct Estimate {
    let value: Double
    /// The square of its standard error.
    let variance: Double
    let count: Int

    init(mean values: [Double]) {
        count = values.count
        let mean = values.isEmpty ? 0 : values.reduce(0, +) / Double(count)
        value = mean
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        variance = count > 1 ? squares / Double(count - 1) / Double(count) : 0
    }

    init(share part: Int, of whole: Int) {
        count = whole
        value = whole == 0 ? 0 : Double(part) / Double(whole)
        variance = whole == 0 ? 0 : value * (1 - value) / Double(whole)
    }

    /// How much more this is than another, with the half of the 95 % interval; nil if there is too little to say.
    func difference(from other: Estimate) -> (value: Double, margin: Double)? {
        guard count > 1, other.count > 1 else { return nil }
        return (value - other.value, 1.96 * (variance + other.variance).squareRoot())
    }
}
