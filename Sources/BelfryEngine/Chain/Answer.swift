import BelfryModel
import CBelfry

/// An entry that was asked under one counter, and what it said.
///
/// Plain bytes; its texts and its key are lent by the scope or the catalog, and its step by the trigger of the candidate.
struct Answer {
    /// What it said; of no meaning if it does not speak against the candidate. The first member, so that it lies where the answer does.
    private(set) var said = Said()
    let step: UnsafePointer<ChainStep>
    let key: UnsafePointer<CounterKey>
    private(set) var kind = Kind.abstain
    /// Why it failed, if it did.
    private(set) var cause = Decision.FaultCause.error
    /// The function that failed, if it is not the one that asks.
    private(set) var hook: Hook?
    /// Where its state is; nil if there is none.
    var slot: SubjectRecord.Slot?
    /// Whether it is to be told the outcome: not a filter, nor a strategy that could not be asked.
    var isTold = false

    enum Kind: UInt8 {
        case abstain, allow, deny, `defer`, collect, withhold, fault
    }

    @inline(__always)
    init(_ step: UnsafePointer<ChainStep>, _ key: UnsafePointer<CounterKey>) { (self.step, self.key) = (step, key) }

    var entry: EntryPlan { step.pointee.plan.object }
    var control: Configuration.Control { step.pointee.control }
    var parameters: Value? { step.pointee.parameters?.object.parameters }
    var counter: String? { key.pointee.text.string }

    /// Takes the verdict that a question answered with, after the reason it gave.
    @inline(__always)
    mutating func take(_ verdict: belfry_verdict, _ scope: CallScope) {
        switch verdict {
        case BELFRY_ABSTAIN: return
        case BELFRY_ALLOW: kind = .allow
        default: takeDenial(verdict, scope)
        }
    }

    @inline(never)
    private mutating func takeDenial(_ verdict: belfry_verdict, _ scope: CallScope) {
        said.boundUntil(of: verdict)
        if verdict == BELFRY_DENY, !said.isNonsense, said.until.map({ $0 > scope.now }) ?? true { return kind = .deny }
        if let fault = said.fault(of: verdict, at: scope.now) { return fail(fault, in: scope.texts) }
        switch verdict {
        case BELFRY_DEFER:
            kind = .defer
            if let fault = scope.faultOfDeferring { fail(fault, in: scope.texts) }
        default:
            kind = verdict == BELFRY_COLLECT ? .collect : .withhold
            if let fault = scope.faultOfSettingAside { fail(fault, in: scope.texts) }
        }
    }

    mutating func fail(_ fault: Fault, in arena: Arena) {
        (kind, cause, hook) = (.fault, fault.cause, fault.hook)
        said = Said(message: arena.text(fault.message))
    }

    mutating func deny(_ message: String, code: String, in arena: Arena) {
        kind = .deny
        said = Said(code: arena.text(code), message: arena.text(message))
    }

    /// Whether it speaks against the candidate; whether that counts is for its control to say.
    var isDenial: Bool { kind.rawValue > Kind.allow.rawValue }
    var isFault: Bool { kind == .fault }
    /// Whether it says no, or not now.
    var isRefusal: Bool { kind == .deny || kind == .defer || kind == .fault }

    var verdict: Verdict {
        let reason = Reason(code: said.code.string, message: said.message.string ?? "", until: said.until)
        return switch kind {
        case .abstain: .abstain
        case .allow: .allow
        case .deny: .deny(reason)
        case .defer: .defer(reason)
        case .collect: .collect(reason)
        case .withhold: .withhold(reason)
        case .fault: .fault(reason.message)
        }
    }

    var denial: Decision.Denial {
        Decision.Denial(
            strategy: entry.entry.id, code: isFault ? "fault" : said.code.string ?? entry.entry.strategy,
            message: said.message.string ?? "", until: said.until, counter: counter)
    }
}

extension UnsafeMutablePointer<Answer> {
    /// Where the strategy is to say its reason.
    var said: UnsafeMutablePointer<Said> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: Said.self) }
}
