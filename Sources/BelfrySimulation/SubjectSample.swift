import BelfryModel
import HeapModule

/// Which of the subjects are simulated. By a hash of their ids, so that it is the same ones every time.
public enum SubjectSample: Sendable, Hashable {
    /// About this share of all, from 0 to 1.
    case share(Double)
    /// Exactly so many, or all if there are fewer. The input is read twice for that.
    case count(Int)

    /// `10%` or `1000`; nil for anything else.
    public init?(_ text: String) {
        if text.hasSuffix("%"), let percent = Double(text.dropLast()), percent > 0, percent <= 100 {
            self = .share(percent / 100)
        } else if let count = Int(text), count > 0 {
            self = .count(count)
        } else {
            return nil
        }
    }

    var value: Value {
        switch self {
        case .share(let share): ["share": .number(share)]
        case .count(let count): ["count": .integer(Int64(count))]
        }
    }

    /// Where the subject is between all others: even for ids that differ in one character.
    static func place(of subject: String) -> UInt64 { stableHash(subject, seed: stableHash("belfry simulate")) }
}

/// The first subjects of all that are seen, as many as are wanted, by their places.
struct FirstSubjects {
    let wanted: Int
    private var places: Set<UInt64> = []
    private var heap = Heap<UInt64>()

    init(wanted: Int) { self.wanted = wanted }

    mutating func see(_ subject: String) {
        let place = SubjectSample.place(of: subject)
        if heap.count == wanted, let last = heap.max, place >= last { return }
        guard places.insert(place).inserted else { return }
        heap.insert(place)
        if heap.count > wanted, let last = heap.popMax() { places.remove(last) }
    }

    /// The last place that is one of the wanted.
    var lastPlace: UInt64 { heap.count < wanted ? .max : heap.max ?? .max }
}
