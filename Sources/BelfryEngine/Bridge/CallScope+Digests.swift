import BelfryModel
import CBelfry

// What a strategy that collects may ask and say besides its verdict: `belfry.digest/1`.

extension CallScope {
    /// What was said besides the verdict of an answer.
    struct DigestTerms {
        /// The place of the answer.
        let answer: Int
        var keep: Int?
        /// When the digest closes that the candidate leads.
        var lead: Instant?
    }

    /// So many items are kept if the entry does not say how many.
    private static let usualKeep = 100

    /// The open digest of the entry that is asked, under its counter.
    var openDigest: belfry_open_digest? {
        guard let answer = answers.last,
            let open = record.openDigest(of: answer.entry.entry.id, answer.counter, at: now)
        else { return nil }
        return belfry_open_digest(
            opened: open.digest.opened.milliseconds, closes: open.closes.milliseconds,
            count: UInt64(open.digest.items.count))
    }

    var digestCount: UInt64 { hasCandidate ? UInt64(candidate.asked?.digest?.count ?? 0) : 0 }

    /// Changes what the entry that is asked said.
    func changeTerms(_ change: (inout DigestTerms) -> Void) {
        if answers.isEmpty { return }
        if digestTerms.last?.answer != answers.count - 1 { digestTerms.append(DigestTerms(answer: answers.count - 1)) }
        change(&digestTerms[digestTerms.count - 1])
    }

    func itemsKept(by answer: UnsafePointer<Answer>) -> Int {
        let terms = digestTerms.last { answers.isPlace(answer, of: $0.answer) }
        return max(1, terms?.keep ?? Self.usualKeep)
    }

    /// The answers that want a digest opened if the candidate is created, and when those close.
    var leads: [(answer: Answer, closes: Instant)] {
        digestTerms.compactMap { terms in
            let answer = answers[terms.answer]
            // An observer changes nothing.
            guard let closes = terms.lead, !answer.isDenial, answer.control != .observer else { return nil }
            return (answer, closes)
        }
    }
}

extension belfry_digest {
    static let table = belfry_digest(
        open: { context, digest in
            guard let open = CallScope.with(context!, { $0.openDigest }) else { return 0 }
            digest?.pointee = open
            return 1
        },
        count: { CallScope.with($0!) { $0.digestCount } },
        keep: { context, items in
            CallScope.with(context!) { $0.changeTerms { $0.keep = Int(clamping: min(items, 1 << 20)) } }
        },
        lead: { context, closes in
            let writable = Instant.writable
            let closes = min(max(Instant(milliseconds: closes), writable.lowerBound), writable.upperBound)
            CallScope.with(context!) { $0.changeTerms { $0.lead = closes } }
        })
}

extension CallScope {
    /// A candidate may be deferred so often. By a little each time, it would be asked about for as long as its subject was away.
    private static let mostDeferrals = 10_000

    /// Why the candidate cannot be deferred; nil if it can.
    var faultOfDeferring: Fault? {
        guard let count = candidate.asked?.deferrals, count >= Self.mostDeferrals else { return nil }
        return Fault(cause: .nonsense, message: "it deferred a candidate that was deferred \(count) times already")
    }

    /// Why the candidate cannot be collected or withheld; nil if it can.
    var faultOfSettingAside: Fault? {
        if question == .deletion {
            return Fault(cause: .nonsense, message: "it collected or withheld what was to be deleted")
        }
        if candidate.asked?.digest != nil, answers.last?.kind == .collect {
            return Fault(cause: .nonsense, message: "it collected a digest that has closed")
        }
        return nil
    }
}
