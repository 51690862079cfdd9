import BelfryCore
import BelfryModel

/// A decision about a candidate, or about a deletion: what simulations count and compare.
struct Judgement {
    enum Outcome: Int, CaseIterable {
        case created, fired, suppressed, deferred, deleted, kept, collected, withheld

        var name: String { "\(self)" }
        var isCreation: Bool { self == .created || self == .fired }
        var isRefusal: Bool { !isCreation && !isAboutDeletion }
        var isAboutDeletion: Bool { self == .deleted || self == .kept }
    }

    let decision: Decision
    let outcome: Outcome
    let origin: Decision.Origin
    /// The line of input it came of; nil after the last one.
    let line: Int?

    /// Nil for what is no such decision.
    init?(_ decision: Decision, line: Int?) {
        switch decision.body {
        case .created(let created): (outcome, origin) = (.created, created.origin)
        case .fired(let fired): (outcome, origin) = (.fired, fired.origin)
        case .suppressed(let refused): (outcome, origin) = (.suppressed, refused.origin)
        case .deferred(let refused): (outcome, origin) = (.deferred, refused.origin)
        case .deleted(_, let campaign): (outcome, origin) = (.deleted, Decision.Origin(campaign: campaign))
        case .kept(_, let campaign, _): (outcome, origin) = (.kept, Decision.Origin(campaign: campaign))
        case .collected(let collected): (outcome, origin) = (.collected, collected.origin)
        case .withheld(let withheld): (outcome, origin) = (.withheld, withheld.origin)
        case .opened, .invoked, .recorded, .faulted, .exposed: return nil
        }
        self.decision = decision
        self.line = line
    }

    /// What counted against it.
    var reasons: [Decision.Denial] {
        switch decision.body {
        case .suppressed(let refused), .deferred(let refused): refused.reasons
        case .kept(_, _, let reasons): reasons
        case .withheld(let withheld): withheld.reasons
        default: []
        }
    }

    /// What observers had against it.
    var observed: [Decision.Denial] {
        switch decision.body {
        case .created(let created): created.observed
        case .fired(let fired): fired.observed
        case .suppressed(let refused), .deferred(let refused): refused.observed
        default: []
        }
    }

    var until: Instant? {
        switch decision.body {
        case .suppressed(let refused), .deferred(let refused): refused.until
        case .collected(let collected): collected.until
        default: nil
        }
    }

    /// What it is compared by.
    var key: DecisionKey {
        let time = UInt64(bitPattern: decision.time.milliseconds)
        var question = stableHash(decision.subject, seed: outcome.isAboutDeletion ? 1 : 0)
        question = stableHash(origin.campaign, seed: question ^ time)
        for part in [origin.trigger, origin.region] { question = stableHash(part ?? "", seed: question) }
        let answer = stableHash(decision.cause, seed: question &+ UInt64(outcome.rawValue))
        return DecisionKey(question: question, answer: answer)
    }
}
