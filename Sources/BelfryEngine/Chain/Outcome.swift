import BelfryModel
import CBelfry

/// What the answers of a chain come to.
struct Outcome {
    enum Kind {
        case allowed
        case refused
        /// Ask the whole chain again then.
        case deferred(until: Instant)
        /// The first entry that collects takes it.
        case collected(by: UnsafePointer<Answer>)
        /// It would be created, and is not shown.
        case withheld
    }

    private(set) var kind = Kind.allowed
    /// The first instant at which all that counts would allow; nil if one of them knows none.
    private(set) var until: Instant?
    /// Whether a required entry had an opinion, if that matters: then an optional denial does not count.
    private let hasOpinion: Bool

    /// - Parameter isRefusedByHost: for a reason of the host's own, such as a taken slot, whatever the answers.
    init(_ answers: Answers, isRefusedByHost: Bool = false) {
        hasOpinion = answers.haveOptionalDenial && answers.haveOpinion
        guard answers.haveDenial || isRefusedByHost else { return }
        var isDeferral = !isRefusedByHost
        var isKnown = !isRefusedByHost
        var isRefused = isRefusedByHost
        var last = Instant.distantPast
        var collector: UnsafePointer<Answer>?
        var isWithheld = false
        answers.forEachDenied { answer in
            guard counts(answer) else { return }
            if answer.pointee.isRefusal {
                isRefused = true
                if answer.pointee.kind != .defer { isDeferral = false }
                if let instant = answer.pointee.said.until { last = max(last, instant) } else { isKnown = false }
            } else if answer.pointee.kind == .collect {
                collector = collector ?? UnsafePointer(answer)
            } else {
                isWithheld = true
            }
        }
        guard isRefused else {
            if let collector { kind = .collected(by: collector) } else if isWithheld { kind = .withheld }
            return
        }
        kind = .refused
        guard isKnown else { return }
        until = last
        if isDeferral { kind = .deferred(until: last) }
    }

    /// Whether an answer counts against the candidate.
    @inline(__always)
    func counts(_ answer: UnsafePointer<Answer>) -> Bool {
        answer.pointee.control == .required || countsElse(answer)
    }

    @inline(never)
    private func countsElse(_ answer: UnsafePointer<Answer>) -> Bool {
        answer.pointee.control == .optional && !hasOpinion && !answer.pointee.isFault
    }

    /// Whether it is what an observer, or a sufficient entry that denied, would have had. A fault of theirs is an abstention;
    /// `strategy.faulted` tells of it.
    func isObserved(_ answer: UnsafePointer<Answer>) -> Bool {
        guard answer.pointee.isDenial, !answer.pointee.isFault else { return false }
        return answer.pointee.control == .observer || answer.pointee.control == .sufficient
    }

    var isAllowed: Bool { if case .allowed = kind { true } else { false } }

    /// Whether the entries are told that it was created.
    var isToldAsCreated: Bool {
        switch kind {
        case .allowed, .withheld: true
        case .refused, .deferred, .collected: false
        }
    }

    /// Whether an answer that counts is why it came out like this.
    @inline(__always)
    func isReason(_ answer: UnsafePointer<Answer>) -> Bool {
        guard counts(answer) else { return false }
        if case .refused = kind { return answer.pointee.isRefusal }
        return isReasonElse(answer)
    }

    @inline(never)
    private func isReasonElse(_ answer: UnsafePointer<Answer>) -> Bool {
        return switch kind {
        case .allowed, .refused, .deferred: answer.pointee.isRefusal
        case .collected(let collector): answer == collector
        case .withheld: answer.pointee.kind == .withhold
        }
    }

    /// What counted against it, in chain order; the host's own reason comes last.
    func reasons(_ answers: Answers, _ hostDenials: [Decision.Denial] = []) -> [Decision.Denial] {
        answers.deniedPlaces.filter { $0.pointee.isDenial && isReason($0) }.map(\.pointee.denial) + hostDenials
    }

    func observed(_ answers: Answers) -> [Decision.Denial] {
        answers.deniedPlaces.filter { isObserved($0) }.map(\.pointee.denial)
    }
}
