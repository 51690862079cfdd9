import BelfryModel
import CBelfry

/// What the answers of a chain come to.
struct Outcome {
    enum Kind {
        case allowed
        case refused
        /// Ask the whole chain again then.
        case deferred(until: Instant)
    }

    private(set) var kind = Kind.allowed
    /// The first instant at which all that counts would allow; nil if one of them knows none.
    private(set) var until: Instant?
    /// Whether a required entry had an opinion: then an optional denial does not count.
    private let hasOpinion: Bool

    /// - Parameter isRefusedByHost: for a reason of the host's own, such as a taken slot, whatever the answers.
    init(_ answers: Answers, isRefusedByHost: Bool = false) {
        hasOpinion = answers.haveOpinion
        guard answers.haveDenial || isRefusedByHost else { return }
        var isDeferral = !isRefusedByHost
        var isKnown = !isRefusedByHost
        var counting = 0
        for answer in answers.deniedPlaces where counts(answer) {
            counting += 1
            if answer.pointee.kind != .defer { isDeferral = false }
            guard let instant = answer.pointee.until else {
                isKnown = false
                continue
            }
            until = max(until ?? instant, instant)
        }
        if !isKnown { until = nil }
        guard counting > 0 || isRefusedByHost else { return }
        kind = .refused
        if isDeferral, let until { kind = .deferred(until: until) }
    }

    /// Whether an answer counts against the candidate.
    func counts(_ answer: UnsafePointer<Answer>) -> Bool {
        guard answer.pointee.isDenial else { return false }
        return switch answer.pointee.control {
        case .required: true
        case .optional: !hasOpinion && !answer.pointee.isFault
        case .sufficient, .observer: false
        }
    }

    /// Whether it is what an observer, or a sufficient entry that denied, would have had. A fault of theirs is an abstention;
    /// `strategy.faulted` tells of it.
    func isObserved(_ answer: UnsafePointer<Answer>) -> Bool {
        guard answer.pointee.isDenial, !answer.pointee.isFault else { return false }
        return answer.pointee.control == .observer || answer.pointee.control == .sufficient
    }

    var isAllowed: Bool { if case .allowed = kind { true } else { false } }

    /// What counted against it, in chain order; the host's own reason comes last.
    func reasons(_ answers: Answers, _ hostDenials: [Decision.Denial] = []) -> [Decision.Denial] {
        answers.deniedPlaces.filter { counts($0) }.map(\.pointee.denial) + hostDenials
    }

    func observed(_ answers: Answers) -> [Decision.Denial] {
        answers.deniedPlaces.filter { isObserved($0) }.map(\.pointee.denial)
    }
}

extension Answer {
    var denial: Decision.Denial {
        Decision.Denial(
            strategy: entry.entry.id, code: isFault ? "fault" : code.string ?? entry.entry.strategy,
            message: message.string ?? "", until: until, counter: counter)
    }
}
