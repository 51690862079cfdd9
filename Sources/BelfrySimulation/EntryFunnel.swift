import BelfryEngine
import BelfryModel

/// What became of the questions that one entry of the chain could have been asked, and what it said.
struct EntryFunnel {
    let entry: Configuration.Entry
    private(set) var asked = 0
    private(set) var allowed = 0
    private(set) var abstained = 0
    private(set) var faulted = 0
    private(set) var denied = NameCounts()
    private(set) var deferred = NameCounts()
    private(set) var collected = NameCounts()
    private(set) var withheld = NameCounts()
    /// Denials and deferrals that never count.
    private(set) var observed = NameCounts()
    private(set) var notAsked = NameCounts()
    /// Candidates that were refused with it among the reasons.
    private(set) var suppressed = 0
    /// Of these, those that nothing else spoke against.
    private(set) var alone = 0
    /// Candidates that were created though it would have denied.
    private(set) var createdAnyway = 0
    private(set) var askedOfDeletion = 0
    private(set) var deniedDeletion = 0

    init(_ entry: Configuration.Entry) { self.entry = entry }

    mutating func note(_ verdict: Verdict, _ question: Question) {
        guard question == .creation else {
            askedOfDeletion += 1
            if case .deny = verdict { deniedDeletion += 1 }
            return
        }
        asked += 1
        switch verdict {
        case .allow: allowed += 1
        case .abstain: abstained += 1
        case .fault: faulted += 1
        case .deny(let reason) where canCount: denied.add(reason.code ?? entry.strategy)
        case .defer(let reason) where canCount: deferred.add(reason.code ?? entry.strategy)
        case .collect(let reason) where canCount: collected.add(reason.code ?? entry.strategy)
        case .withhold(let reason) where canCount: withheld.add(reason.code ?? entry.strategy)
        case .deny(let reason), .defer(let reason), .collect(let reason), .withhold(let reason):
            observed.add(reason.code ?? entry.strategy)
        }
    }

    mutating func noteSkip(_ why: String) { notAsked.add(why) }

    mutating func noteRefusal(isAlone: Bool) {
        suppressed += 1
        if isAlone { alone += 1 }
    }

    mutating func noteCreationAnyway() { createdAnyway += 1 }

    private var canCount: Bool { entry.control == .required || entry.control == .optional }

    var value: Value {
        func count(_ number: Int) -> Value { .integer(Int64(number)) }
        func codes(_ counts: NameCounts) -> Value {
            ["total": count(counts.total), "codes": counts.value(naming: "code")]
        }
        return [
            "id": .text(entry.id), "strategy": .text(entry.strategy), "control": .text(entry.control.rawValue),
            "asked": count(asked), "allowed": count(allowed), "abstained": count(abstained), "denied": codes(denied),
            "deferred": codes(deferred), "collected": codes(collected), "withheld": codes(withheld),
            "observed": codes(observed),
            "faulted": count(faulted),
            "notAsked": notAsked.value(naming: "why"), "suppressed": count(suppressed), "alone": count(alone),
            "createdAnyway": count(createdAnyway),
            "deletions": ["asked": count(askedOfDeletion), "denied": count(deniedDeletion)],
        ]
    }
}
