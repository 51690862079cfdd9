import BelfryModel
import CBelfry

/// An entry that was asked under one counter, and what it said.
///
/// Plain bytes; its texts are lent by the scope, and its step by the trigger of the candidate.
struct Answer {
    /// What it said; of no meaning if it does not speak against the candidate. The first member, so that it lies where the answer does.
    private var said = Said()
    let step: UnsafePointer<ChainStep>
    let counterKey: CounterKey
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
    init(_ step: UnsafePointer<ChainStep>, _ counter: CounterKey) {
        self.step = step
        counterKey = counter
    }

    var entry: EntryPlan { step.pointee.entry }
    var control: Configuration.Control { step.pointee.control }
    var parameters: Value? { step.pointee.instance?.takeUnretainedValue().parameters }
    var counter: String? { counterKey.text.string }
    /// Where its state is in the record; nil for one that keeps none.
    var slot: Int? { place < 0 ? nil : Int(place) }
    /// Absent: the name of the strategy.
    var code: belfry_text { said.code }
    var message: belfry_text { said.message }
    var until: Instant? { said.until }

    /// Takes the verdict that a check returned, after the reason it gave.
    @inline(__always)
    mutating func take(_ verdict: belfry_verdict, _ scope: CallScope) {
        switch verdict {
        case BELFRY_ABSTAIN: return
        case BELFRY_ALLOW: kind = .allow
        default: takeReason(of: verdict, scope)
        }
    }

    @inline(never)
    private mutating func takeReason(of verdict: belfry_verdict, _ scope: CallScope) {
        if let fault = said.fault(of: verdict, at: scope.now) { return fail(fault, in: scope.arena) }
        kind = verdict == BELFRY_DENY ? .deny : .defer
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
    var isDenial: Bool { kind != .abstain && kind != .allow }
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

    func keep(_ slot: (index: Int, memory: UnsafeMutableRawPointer?)) {
        pointee.place = Int32(truncatingIfNeeded: slot.index)  // a subject has not as many
        pointee.state = slot.memory
    }
}

/// The answers to one question, in memory that is used again for the next one.
struct Answers: RandomAccessCollection {
    private var memory = UnsafeMutableBufferPointer<Answer>.allocate(capacity: 16)
    private(set) var count = 0
    /// Whether some required entry had an opinion.
    private(set) var haveOpinion = false
    private(set) var haveFault = false
    /// From the first to the last that speaks against the candidate: there are few of them, and mostly none.
    private var denied = 0..<0

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Answer {
        precondition(index < count)
        return memory[index]
    }

    /// Where they lie: to look at one there copies nothing.
    var places: some Sequence<UnsafeMutablePointer<Answer>> { places(in: 0..<count) }

    /// Among them are all that speak against the candidate.
    var deniedPlaces: some Sequence<UnsafeMutablePointer<Answer>> { places(in: denied) }

    private func places(in range: Range<Int>) -> some Sequence<UnsafeMutablePointer<Answer>> {
        let start = memory.baseAddress!  // memory is never empty
        return range.lazy.map { start + $0 }
    }

    /// Whether something speaks against the candidate.
    var haveDenial: Bool { !denied.isEmpty }

    /// Adds an abstention.
    ///
    /// - Returns: where it lies until the next one is added. What it becomes is to be noted.
    @inline(__always)
    mutating func add(_ step: UnsafePointer<ChainStep>, _ counter: CounterKey) -> UnsafeMutablePointer<Answer> {
        if count == memory.count { grow() }
        let answer = memory.baseAddress! + count
        answer.initialize(to: Answer(step, counter))
        count += 1
        return answer
    }

    /// Notes what the last answer has become.
    @inline(__always)
    mutating func note(_ answer: UnsafePointer<Answer>) {
        guard answer.pointee.kind != .abstain else { return }
        if answer.pointee.control == .required { haveOpinion = true }
        if answer.pointee.isDenial { noteDenial(answer) }
    }

    private mutating func noteDenial(_ answer: UnsafePointer<Answer>) {
        denied = (denied.isEmpty ? count - 1 : denied.lowerBound)..<count
        if answer.pointee.isFault { haveFault = true }
    }

    mutating func removeAll() {
        count = 0
        (haveOpinion, haveFault) = (false, false)
        denied = 0..<0
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Answer>.allocate(capacity: memory.count * 2)
        _ = larger.initialize(from: memory)
        memory.deallocate()
        memory = larger
    }

    func deallocate() { memory.deallocate() }

    /// Whether an entry, the last one that was asked, allows. One that counts per group does if it does for every group.
    func allow(_ entry: Unmanaged<EntryPlan>) -> Bool {
        let own = reversed().prefix { $0.step.pointee.plan.toOpaque() == entry.toOpaque() }
        return !own.isEmpty && own.allSatisfy { $0.kind == .allow }
    }

    /// Whether one of them is certain to count, whatever the other entries say.
    var haveCountingDenial: Bool { contains { $0.isDenial && $0.kind != .defer && $0.control == .required } }
}
