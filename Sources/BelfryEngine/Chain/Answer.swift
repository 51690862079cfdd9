import BelfryModel
import CBelfry

/// An entry that was asked under one counter, and what it said.
///
/// Plain bytes; its texts are lent by the scope, and its step by the trigger of the candidate.
struct Answer {
    let step: UnsafePointer<ChainStep>
    let counterKey: CounterKey
    /// Where its state is in the record; nil for one that keeps none.
    var slot: Int?
    /// Whether it is to be told the outcome: not a filter, nor a strategy that could not be asked.
    var isTold = false
    /// The state itself; NULL for a strategy that keeps none.
    var state: UnsafeMutableRawPointer?
    private(set) var kind = Kind.abstain
    /// Absent: the name of the strategy.
    private(set) var code = belfry_text.absent
    private(set) var message = belfry_text.absent
    private(set) var until: Instant?

    enum Kind: UInt8 {
        case abstain, allow, deny, `defer`, fault
    }

    init(_ step: UnsafePointer<ChainStep>, _ counter: CounterKey) {
        self.step = step
        counterKey = counter
    }

    var entry: EntryPlan { step.pointee.entry }
    var control: Configuration.Control { step.pointee.control }
    var parameters: Value? { step.pointee.instance?.takeUnretainedValue().parameters }
    var counter: String? { counterKey.text.string }

    /// Takes the verdict that a check returned, with the reason it gave.
    mutating func take(_ verdict: belfry_verdict, _ scope: CallScope) {
        switch verdict {
        case BELFRY_ABSTAIN: return
        case BELFRY_ALLOW: kind = .allow
        default: takeReason(of: verdict, scope)
        }
    }

    private mutating func takeReason(of verdict: belfry_verdict, _ scope: CallScope) {
        let said = scope.reason.said
        (code, message, until) = (said.code, said.message, said.until)
        if let fault = said.fault(of: verdict, at: scope.now) { return fail(fault, in: scope.arena) }
        kind = verdict == BELFRY_DENY ? .deny : .defer
    }

    mutating func fail(_ message: String, in arena: Arena) {
        (kind, code, until) = (.fault, .absent, nil)
        self.message = arena.text(message)
    }

    mutating func deny(_ message: String, code: String, in arena: Arena) {
        kind = .deny
        self.code = arena.text(code)
        self.message = arena.text(message)
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

/// The answers to one question, in memory that is used again for the next one.
struct Answers: RandomAccessCollection {
    private var memory = UnsafeMutableBufferPointer<Answer>.allocate(capacity: 16)
    private(set) var count = 0

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Answer {
        precondition(index < count)
        return memory[index]
    }

    // The general iterator of collections would check each index.
    func makeIterator() -> UnsafeMutableBufferPointer<Answer>.Iterator {
        UnsafeMutableBufferPointer(rebasing: memory[..<count]).makeIterator()
    }

    /// Adds an abstention.
    ///
    /// - Returns: where it lies until the next one is added.
    mutating func add(_ step: UnsafePointer<ChainStep>, _ counter: CounterKey) -> UnsafeMutablePointer<Answer> {
        if count == memory.count { grow() }
        let answer = memory.baseAddress! + count  // memory is never empty
        answer.initialize(to: Answer(step, counter))
        count += 1
        return answer
    }

    mutating func removeAll() { count = 0 }

    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<Answer>.allocate(capacity: memory.count * 2)
        _ = larger.initialize(from: memory)
        memory.deallocate()
        memory = larger
    }

    func deallocate() { memory.deallocate() }

    /// An entry that counts per group allows if it does for every group.
    func allow(from first: Int) -> Bool {
        first < count && self[first...].allSatisfy { $0.kind == .allow }
    }

    /// Whether one of them is certain to count, whatever the other entries say.
    var haveCountingDenial: Bool { contains { $0.isDenial && $0.kind != .defer && $0.control == .required } }
}
