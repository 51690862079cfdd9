import BelfryCore
import BelfryModel

/// What two configurations decided about the same candidates, compared as it comes.
struct Differences {
    enum Kind: String {
        /// For example created here and suppressed there.
        case outcome
        /// Refused on both sides, for other reasons.
        case reasons
        /// Created on both sides, with other content.
        case content
    }

    /// One candidate that was decided differently; nil on a side that had no such candidate.
    struct Difference {
        let kind: Kind
        let a: Judgement?
        let b: Judgement?
        var either: Judgement { (a ?? b)! }
    }

    /// Differences in outcome that are alike.
    struct Row {
        let key: Key
        var count = 0
        var samples: [Difference] = []

        struct Key: Hashable {
            let campaign: String
            let trigger: String?
            let a: Judgement.Outcome?
            let b: Judgement.Outcome?
            let by: Cause?
        }

        /// What refused, on which side.
        struct Cause: Hashable {
            let side: String
            let entry: String
            let code: String
        }
    }

    private(set) var compared = 0
    private(set) var counts: [Kind: Int] = [:]
    private var firstByKind: [Kind: [Difference]] = [:]
    private(set) var rows: [Row.Key: Row] = [:]
    /// By outcome on either side.
    private(set) var transitions: [[Judgement.Outcome?]: Int] = [:]
    /// What a side decided about the subject at work.
    private var news: [[Judgement]] = [[], []]
    /// Candidates that one side had, and the other may still have.
    private var waiting: [SubjectKey: [[Judgement]]] = [:]
    private let mostFirst: Int

    private static let mostRows = 10_000
    private static let mostSamples = 5

    init(keepingFirst count: Int) { mostFirst = count }

    /// Takes what a side decided about a subject; `settle` compares it.
    mutating func add(_ side: Int, _ judgements: [Judgement]) { news[side] += judgements }

    /// Compares what was added about a subject. A candidate that only one side had waits until the subject's time has passed it on both
    /// sides: a signal that one side rejected does not move its time, and the next signal may be of the same instant.
    mutating func settle(_ subject: SubjectKey, until time: Instant) {
        if !waiting.isEmpty, let before = waiting.removeValue(forKey: subject) {
            for side in 0...1 { news[side].insert(contentsOf: before[side], at: 0) }
        }
        let (a, b) = (news[0], news[1])
        news = [[], []]
        var rest: [[Judgement]] = [[], []]
        DecisionPairing.forEachPair(of: a.map(\.key), and: b.map(\.key)) { x, y in
            let (x, y) = (x.map { a[$0] }, y.map { b[$0] })
            if x == nil || y == nil, let alone = x ?? y, alone.decision.time >= time {
                rest[x == nil ? 1 : 0].append(alone)
            } else {
                compare(x, y)
            }
        }
        if !rest.allSatisfy(\.isEmpty) { waiting[subject] = rest }
    }

    /// Compares what waits.
    mutating func settle() {
        for subject in waiting.keys.sorted() { settle(subject, until: Instant(milliseconds: .max)) }
    }

    private mutating func compare(_ a: Judgement?, _ b: Judgement?) {
        compared += 1
        guard let kind = Self.kind(a, b) else { return }
        counts[kind, default: 0] += 1
        let difference = Difference(kind: kind, a: a, b: b)
        if firstByKind[kind, default: []].count < mostFirst { firstByKind[kind, default: []].append(difference) }
        guard kind == .outcome else { return }
        transitions[[a?.outcome, b?.outcome], default: 0] += 1
        let key = Row.Key(difference)
        guard rows.count < Self.mostRows || rows[key] != nil else { return }
        rows[key, default: Row(key: key)].add(difference, keeping: Self.mostSamples)
    }

    /// The first that came out differently; where these are few, the first with other content and other reasons.
    var first: [Difference] {
        Array([.outcome, .content, .reasons].flatMap { firstByKind[$0] ?? [] }.prefix(mostFirst))
    }

    /// Nil if they are the same.
    private static func kind(_ a: Judgement?, _ b: Judgement?) -> Kind? {
        guard let a, let b, a.outcome == b.outcome else { return .outcome }
        switch (a.decision.body, b.decision.body) {
        case (.created(let one), .created(let other)): return one.content == other.content ? nil : .content
        case (.fired(let one), .fired(let other)): return one.data == other.data ? nil : .content
        default:
            let areAlike = a.reasons.elementsEqual(b.reasons) { $0.strategy == $1.strategy && $0.code == $1.code }
            return areAlike ? nil : .reasons
        }
    }
}

extension Differences.Row {
    fileprivate mutating func add(_ difference: Differences.Difference, keeping limit: Int) {
        count += 1
        if samples.count < limit { samples.append(difference) }
    }
}

extension Differences.Row.Key {
    fileprivate init(_ difference: Differences.Difference) {
        let origin = difference.either.origin
        (campaign, trigger) = (origin.campaign, origin.trigger)
        (a, b) = (difference.a?.outcome, difference.b?.outcome)
        let inB = difference.b?.reasons.first.map { Differences.Row.Cause(side: "b", $0) }
        by = inB ?? difference.a?.reasons.first.map { Differences.Row.Cause(side: "a", $0) }
    }
}

extension Differences.Row.Cause {
    fileprivate init(side: String, _ denial: Decision.Denial) {
        self.init(side: side, entry: denial.strategy, code: denial.code)
    }
}
