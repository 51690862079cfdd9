import BelfryModel

/// Which call of a plugin an engine is in, to be read from outside: what crashes or hangs a process cannot say so itself.
///
/// Plain numbers, so that they can lie in memory that processes share.
package struct CallNote {
    /// What is decided: the place of a signal or timer in what the shard was given.
    package var piece: UInt32 = 0
    /// How many calls there were for the piece, this one included. The same for the same record and signal.
    package var ordinal: UInt32 = 0
    /// The entry and the hook; 0 outside of calls.
    private var call: UInt32 = 0
    /// How many calls there were ever: tells two calls apart that are the same ones of different batches.
    package private(set) var number: UInt32 = 0

    /// 1 when another thread has crashed, which is in no call.
    private var elsewhere: UInt32 = 0
    /// A `SelfEnd`; 0: none.
    private var selfEnd: UInt32 = 0

    /// Why a process ends by itself. It says so here: its status could be that of a plugin which ends it.
    package enum SelfEnd: UInt32 {
        /// It cannot hear the host any more.
        case deaf = 1
        /// It was told what makes no sense.
        case garbled
    }

    package init() {}

    /// Where it is noted that another thread has crashed, for what has no Swift: a signal handler.
    package static func elsewhere(of note: UnsafeMutablePointer<CallNote>) -> UnsafeMutablePointer<UInt32> {
        let offset = MemoryLayout<CallNote>.offset(of: \.elsewhere)!
        return (UnsafeMutableRawPointer(note) + offset).assumingMemoryBound(to: UInt32.self)
    }

    @inline(__always)
    mutating func enter(_ entry: UInt16, _ hook: Hook) {
        ordinal &+= 1
        number &+= 1
        resume(entry, hook)
    }

    /// The call that was left last is to be blamed again: what it has left is looked at.
    @inline(__always)
    mutating func resume(_ entry: UInt16, _ hook: Hook) {
        call = UInt32(entry) << 16 | UInt32(hook.rawValue) << 8 | 1
    }

    @inline(__always)
    package mutating func leave() { call = 0 }

    /// Says why the process is about to end.
    package mutating func endItself(_ why: SelfEnd) { selfEnd = why.rawValue }

    /// Why the process has ended by itself; nil if it has not said so.
    package var endedItself: SelfEnd? { SelfEnd(rawValue: selfEnd) }

    /// The entry's place in the chain, and the function that is called; nil outside of calls.
    package var current: (entry: Int, hook: Hook)? {
        guard call & 1 == 1, elsewhere == 0, let hook = Hook(rawValue: UInt8(truncatingIfNeeded: call >> 8)) else {
            return nil
        }
        return (Int(call >> 16), hook)
    }

    /// The number of the call that it is in; nil outside of calls.
    package var currentNumber: UInt32? { current == nil ? nil : number }
}

/// A function of a plugin that may be called for a signal or timer. Its name is that of the contract.
package enum Hook: UInt8, CaseIterable, Sendable {
    case shouldCreate, didCreate, shouldDelete, didDelete, onOpened, onBackground, onForeground, onStartMonitoring,
        updateParameters, stateInit, stateLoad, stateSave, stateDestroy, apply,
        onReceipt

    package var name: String {
        switch self {
        case .shouldCreate: "should_create"
        case .didCreate: "did_create"
        case .shouldDelete: "should_delete"
        case .didDelete: "did_delete"
        case .onOpened: "on_opened"
        case .onBackground: "on_background"
        case .onForeground: "on_foreground"
        case .onStartMonitoring: "on_start_monitoring"
        case .updateParameters: "update_parameters"
        case .stateInit: "state_init"
        case .stateLoad: "state_load"
        case .stateSave: "state_save"
        case .stateDestroy: "state_destroy"
        case .apply: "apply"
        case .onReceipt: "on_receipt"
        }
    }
}

/// A call that is not made, and answers fault: it, or calls like it, were seen to end or to stop the process.
package struct PlannedFault: Sendable, Hashable {
    /// Nil: whatever is decided.
    package var piece: UInt32?
    /// Whether all later calls of the entry are meant, and not that one.
    package var isLasting = false
    /// Which call of the piece; nil: all calls of the entry.
    package var ordinal: UInt32?
    /// The entry's place in the chain.
    package var entry: Int
    package var cause: Decision.FaultCause
    /// One sentence.
    package var message: String

    package init(
        piece: UInt32?, ordinal: UInt32?, entry: Int, cause: Decision.FaultCause, message: String,
        isLasting: Bool = false
    ) {
        (self.piece, self.ordinal, self.entry) = (piece, ordinal, entry)
        (self.cause, self.message, self.isLasting) = (cause, message, isLasting)
    }

    fileprivate func isOf(_ piece: UInt32) -> Bool {
        self.piece.map { $0 == piece || (isLasting && $0 < piece) } ?? true
    }

    /// The first call of a piece that may be meant.
    fileprivate func first(in piece: UInt32) -> UInt32 { isLasting && self.piece != piece ? 0 : ordinal ?? 0 }

    fileprivate func isOf(_ note: CallNote, _ entry: UInt16) -> Bool {
        guard let ordinal else { return self.entry == Int(entry) }
        guard isLasting else { return ordinal == note.ordinal }
        return self.entry == Int(entry) && (piece != note.piece || ordinal < note.ordinal)
    }
}

extension Engine {
    /// Notes calls of plugins there from now on, as long as this engine is used.
    package func noteCalls(at place: UnsafeMutablePointer<CallNote>) { scope.note = place }

    /// Has a look taken behind each call, as long as the note still says which it was.
    package func checkCalls(_ check: (() -> Void)?) { scope.check = check }

    /// Begins with another signal or timer.
    ///
    /// - Parameter faults: of all pieces.
    @inline(__always)
    package func beginPiece(_ piece: Int, _ faults: [PlannedFault]) {
        scope.note.pointee.piece = UInt32(truncatingIfNeeded: piece)
        scope.note.pointee.ordinal = 0
        if !faults.isEmpty || scope.firstFault != .max { scope.plan(faults, for: UInt32(truncatingIfNeeded: piece)) }
    }
}

extension CallScope {
    @inline(never)
    fileprivate func plan(_ faults: [PlannedFault], for piece: UInt32) {
        planned = faults.filter { $0.isOf(piece) }
        firstFault = planned.map { $0.first(in: piece) }.min() ?? .max
    }

    /// Notes that a plugin is about to be called. `leave` follows at once behind the call.
    ///
    /// - Throws: why the call is not to be made.
    @inline(__always)
    func enter(_ entry: UInt16, _ hook: Hook) throws(Fault) {
        note.pointee.enter(entry, hook)
        if note.pointee.ordinal >= firstFault { try refusePlanned(entry, hook) }
    }

    /// Notes that a plugin has returned.
    @inline(__always)
    func leave() {
        if hasCheck { check?() }
        note.pointee.leave()
    }

    @inline(never)
    private func refusePlanned(_ entry: UInt16, _ hook: Hook) throws(Fault) {
        guard let fault = planned.first(where: { $0.isOf(note.pointee, entry) }) else { return }
        // An entry that is not called is not asked for its state either: what was to be called is what fails.
        let isWhole = fault.cause == .quarantined
        // What it holds from before it does give back.
        if isWhole, hook == .stateDestroy { return }
        note.pointee.leave()
        throw Fault(cause: fault.cause, message: fault.message, hook: isWhole ? nil : hook)
    }
}
