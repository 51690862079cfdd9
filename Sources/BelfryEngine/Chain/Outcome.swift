import BelfryModel
import CBelfry

/// What the verdicts of a chain come to.
struct Outcome {
    enum Kind {
        case allowed
        case refused
        /// Ask the whole chain again then.
        case deferred(until: Instant)
    }

    var kind: Kind
    /// What counted against it, in chain order; the host's own reasons come last.
    var reasons: [Decision.Denial]
    /// What observers, and sufficient entries that denied, would have had.
    var observed: [Decision.Denial]
    /// The first instant at which all of `reasons` would allow; nil if one of them knows none.
    var until: Instant?

    /// - Parameter hostDenial: the host's own reason to refuse, for example a taken slot.
    init(_ answers: [Chain.Answer], hostDenial: Decision.Denial? = nil) {
        let counting = Self.counting(answers)
        reasons = counting.map(\.denial) + (hostDenial.map { [$0] } ?? [])
        // A fault of theirs is an abstention; `strategy.faulted` tells of it.
        observed = answers.filter {
            $0.isDenial && !$0.isFault && [.observer, .sufficient].contains($0.entry.entry.control)
        }
        .map(\.denial)
        let untils = reasons.map(\.until)
        until = untils.contains(nil) ? nil : untils.compactMap { $0 }.max()
        if reasons.isEmpty {
            kind = .allowed
        } else if hostDenial == nil, let until, counting.allSatisfy(\.isDeferral) {
            kind = .deferred(until: until)
        } else {
            kind = .refused
        }
    }

    /// An optional denial counts only when no required entry had an opinion.
    private static func counting(_ answers: [Chain.Answer]) -> [Chain.Answer] {
        let hasOpinion = answers.contains { $0.entry.entry.control == .required && $0.verdict != .abstain }
        return answers.filter { answer in
            guard answer.isDenial else { return false }
            switch answer.entry.entry.control {
            case .required: return true
            case .optional: return !hasOpinion && !answer.isFault
            case .sufficient, .observer: return false
            }
        }
    }
}

extension Chain.Answer {
    var isFault: Bool { if case .fault = verdict { true } else { false } }
    var isDeferral: Bool { if case .defer = verdict { true } else { false } }

    /// Whether it speaks against the candidate; whether that counts is for its control to say.
    var isDenial: Bool { verdict != .abstain && verdict != .allow }

    /// Whether it is certain to count, whatever the other entries say.
    var isCountingDenial: Bool { isDenial && !isDeferral && entry.entry.control == .required }

    var denial: Decision.Denial {
        let key = entry.counter == .subject ? nil : counter
        switch verdict {
        case .fault(let message):
            return Decision.Denial(strategy: entry.entry.id, code: "fault", message: message, counter: key)
        default:
            let reason = verdict.reason
            return Decision.Denial(
                strategy: entry.entry.id, code: reason?.code ?? entry.entry.strategy, message: reason?.message ?? "",
                until: reason?.until, counter: key)
        }
    }
}

extension CallScope {
    /// The verdict that a check returned at this instant, with the reason it gave.
    func verdict(_ verdict: belfry_verdict) -> Verdict {
        let verdict = reason.verdict(verdict)
        // A timer that is due at once would fire for ever.
        if case .defer(let reason) = verdict, let until = reason.until, until <= now {
            return .fault("it deferred until \(until), which is not later than \(now)")
        }
        return verdict
    }
}

extension ReasonDrain {
    /// The verdict that a check returned, with the reason it gave.
    package func verdict(_ verdict: belfry_verdict) -> Verdict {
        let reason = Reason(code: code, message: message, until: until)
        switch verdict {
        case BELFRY_ABSTAIN: return .abstain
        case BELFRY_ALLOW: return .allow
        case BELFRY_DENY: return .deny(reason)
        case BELFRY_DEFER where until != nil: return .defer(reason)
        case BELFRY_DEFER: return .fault("it deferred without saying until when")
        case BELFRY_FAULT: return .fault(message.isEmpty ? "it failed without a word" : message)
        default: return .fault("it answered with the unknown verdict \(verdict)")
        }
    }
}
