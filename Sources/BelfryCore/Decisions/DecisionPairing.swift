/// What tells which decisions of two configurations are about the same.
package struct DecisionKey: Sendable {
    /// A hash of what was asked: about whom, at what time, for which campaign, trigger and region, and whether about a deletion.
    package let question: UInt64
    /// A hash of the question, of the signal that caused the decision, and of the outcome.
    package let answer: UInt64

    package init(question: UInt64, answer: UInt64) { (self.question, self.answer) = (question, answer) }
}

/// Pairs what two configurations decided, a and b: shadows and simulations count by the same pairs.
///
/// A question may come up several times at one instant, and more often on one side: a campaign as a digest that closes, and as the item
/// that begins the next one. So what one signal came to alike on both sides is paired first, and then what is left of each question,
/// both in order. Which pairs come of it does not depend on what other questions are looked at with it.
package struct DecisionPairing {
    private let a: [DecisionKey]
    private let b: [DecisionKey]
    /// For each of a, the place of its partner in b.
    private var partners: [Int?]
    /// The places on either side that were passed by without a partner.
    private var left: [[Int]] = [[], []]
    private var leftAnswers: Set<UInt64> = []

    private init(_ a: [DecisionKey], _ b: [DecisionKey]) {
        (self.a, self.b) = (a, b)
        partners = Array(repeating: nil, count: a.count)
    }

    /// Calls `body` with the places of each pair, nil on the side that was not asked: all of a in order, then what only b has.
    package static func forEachPair(of a: [DecisionKey], and b: [DecisionKey], _ body: (Int?, Int?) -> Void) {
        var pairing = DecisionPairing(a, b)
        pairing.walk()
        pairing.pairLeft { $0.answer }
        pairing.pairLeft { $0.question }
        for (place, partner) in pairing.partners.enumerated() { body(place, partner) }
        for place in pairing.left[1] { body(nil, place) }
    }

    /// One side is asked what the other is not: so many decisions are looked at for where both go on alike.
    private static let lookahead = 100

    /// Pairs what is alike and comes next on both sides. Nearly all is, and costs no table.
    private mutating func walk() {
        var (x, y) = (0, 0)
        while x < a.count, y < b.count {
            let (one, other) = (a[x], b[y])
            if one.question == other.question {
                // After one that was left it is the turn of that.
                if one.answer == other.answer, !leftAnswers.contains(one.answer) {
                    partners[x] = y
                } else {
                    leave(x, of: 0)
                    leave(y, of: 1)
                }
                (x, y) = (x + 1, y + 1)
            } else if let next = b[y...].prefix(Self.lookahead).firstIndex(where: { $0.question == one.question }) {
                for place in y..<next { leave(place, of: 1) }
                y = next
            } else {
                leave(x, of: 0)
                x += 1
            }
        }
        for place in x..<a.count { leave(place, of: 0) }
        for place in y..<b.count { leave(place, of: 1) }
    }

    private mutating func leave(_ place: Int, of side: Int) {
        left[side].append(place)
        leftAnswers.insert(side == 0 ? a[place].answer : b[place].answer)
    }

    /// Pairs what was left and has the same hash, in order.
    private mutating func pairLeft(by hash: (DecisionKey) -> UInt64) {
        if left[0].isEmpty || left[1].isEmpty { return }
        // The last of a hash comes first off the list.
        var others = Dictionary(grouping: left[1].reversed()) { hash(b[$0]) }
        var alone: [Int] = []
        for place in left[0] {
            partners[place] = others[hash(a[place])]?.popLast()
            if partners[place] == nil { alone.append(place) }
        }
        left = [alone, others.values.joined().sorted()]
    }
}
