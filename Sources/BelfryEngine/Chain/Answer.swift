import BelfryModel
import CBelfry

/// An entry that was asked under one counter, and what it said.
///
/// Plain bytes; its texts and its key are lent by the scope or the catalog, and its step by the trigger of the candidate.
struct Answer {
    /// What it said; of no meaning if it does not speak against the candidate. The first member, so that it lies where the answer does.
    private var said = Said()
    let step: UnsafePointer<ChainStep>
    let key: UnsafePointer<CounterKey>
    /// The candidate as it saw it; nil: as the scope has it.
    let candidate: UnsafePointer<belfry_candidate>?
    /// The state itself; NULL for a strategy that keeps none.
    var state: UnsafeMutableRawPointer?
    /// Where its state is in the record; negative for one that keeps none.
    fileprivate var place: Int32 = -1
    private(set) var kind = Kind.abstain
    /// Whether it is to be told the outcome: not a filter, nor a strategy that could not be asked.
    var isTold = false

    enum Kind: UInt8 {
        case abstain, allow, deny, `defer`, fault
    }

    @inline(__always)
    init(
        _ step: UnsafePointer<ChainStep>, _ key: UnsafePointer<CounterKey>,
        _ candidate: UnsafePointer<belfry_candidate>?, isTold: Bool = false
    ) {
        (self.step, self.key, self.candidate, self.isTold) = (step, key, candidate, isTold)
    }

    var entry: EntryPlan { step.pointee.entry }
    var control: Configuration.Control { step.pointee.control }
    var parameters: Value? { step.pointee.instance?.takeUnretainedValue().parameters }
    var counter: String? { key.pointee.text.string }
    /// Where its state is in the record; nil for one that keeps none.
    var slot: Int? { place < 0 ? nil : Int(place) }
    /// Absent: the name of the strategy.
    var code: belfry_text { said.code }
    var message: belfry_text { said.message }
    var until: Instant? { said.until }

    /// Takes an allow: nearly all do.
    @inline(__always)
    mutating func allow() { kind = .allow }

    /// Takes another verdict that a check returned, after the reason it gave.
    mutating func take(_ verdict: belfry_verdict, _ scope: CallScope) {
        switch verdict {
        case BELFRY_ABSTAIN: return
        case BELFRY_ALLOW: kind = .allow
        case BELFRY_DENY: kind = .deny
        default: takeRare(verdict, scope)
        }
    }

    @inline(never)
    private mutating func takeRare(_ verdict: belfry_verdict, _ scope: CallScope) {
        if let fault = said.fault(of: verdict, at: scope.now) { return fail(fault, in: scope.texts) }
        kind = .defer
    }

    mutating func fail(_ message: String, in arena: Arena) {
        kind = .fault
        said = Said(message: arena.text(message))
    }

    mutating func deny(_ message: String, code: String, in arena: Arena) {
        kind = .deny
        said = Said(code: arena.text(code), message: arena.text(message))
    }

    /// Whether it speaks against the candidate; whether that counts is for its control to say.
    var isDenial: Bool { kind.rawValue > Kind.allow.rawValue }
    var isFault: Bool { kind == .fault }

    var verdict: Verdict {
        let reason = Reason(code: code.string, message: message.string ?? "", until: until)
        return switch kind {
        case .abstain: .abstain
        case .allow: .allow
        case .deny: .deny(reason)
        case .defer: .defer(reason)
        case .fault: .fault(reason.message)
        }
    }
}

extension UnsafeMutablePointer<Answer> {
    /// Where the strategy is to say its reason.
    var said: UnsafeMutablePointer<Said> { UnsafeMutableRawPointer(self).assumingMemoryBound(to: Said.self) }

    @inline(__always)
    func keep(_ slot: (index: Int, memory: UnsafeMutableRawPointer?)) {
        pointee.place = Int32(truncatingIfNeeded: slot.index)  // a subject has not as many
        pointee.state = slot.memory
    }
}
