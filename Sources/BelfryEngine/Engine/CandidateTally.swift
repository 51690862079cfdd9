import BelfryModel
import CBelfry

/// How often candidates came to what, and for which reasons, since that was last taken.
///
/// The numbers of the catalog lead to plain counters, so that to count is to add one; their words are looked up once.
package final class CandidateTally {
    /// How often something was so.
    package struct Count: Sendable, Hashable {
        package enum What: String, Sendable, CaseIterable {
            case outcome, reason, observed
        }

        package let what: What
        /// Of the campaign, or of the entry of the chain.
        package let name: String
        /// The type of the decision, or the code of the reason.
        package let word: String
        package var count: Int

        package init(_ what: What, _ name: String, _ word: String, count: Int) {
            (self.what, self.name, self.word, self.count) = (what, name, word, count)
        }
    }

    /// A code that an entry gave as a reason, and which counter that is.
    private struct Code {
        let bytes: [UInt8]
        let place: Int
    }

    private var counts: [Count] = []
    /// Which of them are not zero.
    private var touched: [Int] = []
    /// Of each campaign and kind; -1: it has none yet.
    private var outcomes: [Int]
    /// Of the host, and then of each entry, as reasons and as what was only observed.
    private var codes: [[Code]]
    /// Plugins may say what they like. From there on all is one.
    private static let mostCodes = 20

    package init(_ catalog: Catalog) {
        outcomes = Array(repeating: -1, count: catalog.configuration.campaigns.count * Decision.Kind.allCases.count)
        codes = Array(repeating: [], count: 2 * (catalog.configuration.chain.count + 1))
    }

    package func take() -> [Count] {
        if touched.isEmpty { return [] }
        defer { touched.removeAll(keepingCapacity: true) }
        return touched.map { place in
            defer { counts[place].count = 0 }
            return counts[place]
        }
    }

    package func count(_ effects: borrowing Effects) {
        for index in 0..<effects.count {
            let line = effects.lines[index]
            guard case .candidate(let candidate) = line.body else { continue }
            candidate.trigger.with { count(line.kind, $0.campaign) }
            for reason in candidate.reasons { count(effects.denials[reason], .reason) }
            for reason in candidate.observed { count(effects.denials[reason], .observed) }
        }
    }

    private func add(_ place: Int) {
        if counts[place].count == 0 { touched.append(place) }
        counts[place].count += 1
    }

    private func new(_ what: Count.What, _ name: String, _ word: String) -> Int {
        counts.append(Count(what, name, word, count: 0))
        return counts.count - 1
    }

    private func count(_ kind: Decision.Kind, _ campaign: CampaignPlan) {
        let place = campaign.index * Decision.Kind.allCases.count + kind.index
        if outcomes[place] < 0 { outcomes[place] = new(.outcome, campaign.campaign.id, kind.rawValue) }
        add(outcomes[place])
    }

    // MARK: Reasons

    private func count(_ denial: Effects.Denial, _ what: Count.What) {
        let entry = denial.plan.map { $0.with(\.index) + 1 } ?? 0
        let list = 2 * entry + (what == .observed ? 1 : 0)
        let code = UnsafeRawBufferPointer(start: denial.code.bytes, count: Int(denial.code.length))
        if let known = codes[list].first(where: { $0.bytes.elementsEqual(code) }) { return add(known.place) }
        add(learn(code, of: denial, what, list))
    }

    private func learn(
        _ code: UnsafeRawBufferPointer, of denial: Effects.Denial, _ what: Count.What, _ list: Int
    ) -> Int {
        let entry = denial.plan?.object.entry
        let isOneTooMany = codes[list].count >= Self.mostCodes
        if isOneTooMany, let last = codes[list].last { return last.place }
        let isLast = codes[list].count == Self.mostCodes - 1
        let word = isLast ? "other" : denial.code.string ?? entry?.strategy ?? ""
        let place = new(what, entry?.id ?? "belfry", word)
        // No code is that.
        codes[list].append(Code(bytes: isLast ? [0xFF] : Array(code), place: place))
        return place
    }
}
