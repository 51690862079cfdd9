import BelfryEngine
import BelfryModel
import BelfryPluginHost
import Glibc

/// How a shard's process died, and in which call of a plugin.
struct ShardDeath {
    let end: ProcessEnd
    let note: CallNote
    /// What there was too much of, if the process was ended for that.
    let endedFor: Decision.FaultCause?
    private let limits: Configuration.Limits

    init(end: ProcessEnd, note: CallNote, endedFor: CallWatch.Excess?, limits: Configuration.Limits) {
        (self.end, self.limits) = (end, limits)
        var note = note
        // What was written where it may not may be of any call before.
        if end == .nonsense { note.leave() }
        self.note = note
        // It may have returned before the process ended: the next call is not to blame.
        self.endedFor = endedFor.flatMap { $0.call == note.currentNumber ? $0.cause : nil }
    }

    /// Why the process has ended by itself; nil if something else has ended it.
    private var selfEnd: CallNote.SelfEnd? {
        if case .exit = end { return note.endedItself }
        return nil
    }

    /// Whether it said what makes no sense, or was told such a thing. In a call it was that call that ended it.
    var isGarbled: Bool { end == .nonsense || (selfEnd == .garbled && note.current == nil) }

    /// Whether it could not hear the host any more.
    var isDeaf: Bool { selfEnd == .deaf }

    /// Whether it was ended since it did not go on, in no call.
    var isStall: Bool { endedFor == .timeout && note.current == nil }

    /// A part of a sentence whose subject is the process.
    var words: String { isGarbled ? ProcessEnd.nonsense.words : isStall ? ProcessEnd.overran.words : end.words }

    /// Whether it was killed for no known reason.
    var isByStranger: Bool { endedFor == nil && end == .signal(SIGKILL) }

    var cause: Decision.FaultCause {
        if let endedFor { return endedFor }
        if isGarbled { return .nonsense }
        if case .exit = end { return .exit }
        return .crash
    }

    /// One sentence about a call.
    var message: String {
        switch (cause, end) {
        case _ where isStall: "its process did not go on outside of the calls of plugins"
        case (.timeout, _): "it did not return within \(limits.call)"
        case (.memory, _): "it took more than \(limits.memory) of memory"
        case _ where isDeaf: "it closed descriptors that are not its own"
        case _ where isGarbled: "it wrote where it may not: its process said what makes no sense"
        case (_, .exit(let status)): "it ended the process with status \(status)"
        case (_, .signal(let signal)): "it crashed with signal \(signalName(signal))"
        case (_, .overran), (_, .nonsense): "it \(end.words)"
        }
    }

    /// The fault of the call that was noted; nil outside of calls.
    var fault: PlannedFault? {
        note.current.map {
            PlannedFault(piece: note.piece, ordinal: note.ordinal, entry: $0.entry, cause: cause, message: message)
        }
    }
}

extension ShardFlight {
    /// What is to be decided again when the process has died of it.
    ///
    /// The call that was noted is believed to be the one, the first time. If the process dies in another one the second time, or outside of
    /// calls, memory may have been damaged long before: the signals are decided apart until one is left.
    func after(_ death: ShardDeath, _ zygote: Zygote) throws -> [ShardFlight] {
        var next = self
        if death.isByStranger, !isKilledTwice(death, &next) { return [next] }
        guard let fault = death.fault else { return try afterUnexplained(death, zygote) }
        if isDoubtful { return split(around: death.note) }
        next.faults.append(fault)
        next.wantsFreshProcess = false
        return [next]
    }

    private func isKilledTwice(_ death: ShardDeath, _ next: inout ShardFlight) -> Bool {
        let call = death.note
        let isKnown = killed.contains { $0.piece == call.piece && $0.ordinal == call.ordinal && $0.current != nil }
        if call.current != nil { next.killed.append(call) } else { next.unexplained += 1 }
        return call.current == nil ? unexplained > Self.mostStrangers : isKnown
    }

    /// So often the process may be killed from outside between two calls before it is taken for a death of its own.
    private static let mostStrangers = 20

    /// It died outside of calls. What closed its socket is found by a look behind each call. Else, one signal is decided again with such a
    /// look; if that does not tell, the entries of plugins from elsewhere answer fault one after the other, until it lives.
    private func afterUnexplained(_ death: ShardDeath, _ zygote: Zygote) throws -> [ShardFlight] {
        var next = self
        if death.isDeaf, !isCareful {
            next.isCareful = true
            return [next]
        }
        if pieces.count > 1 {
            return death.isGarbled
                ? split(at: [(pieces.lowerBound + pieces.upperBound) / 2]) : split(around: death.note)
        }
        next.isCareful = true
        if !isCareful { return [next] }
        let suspects = zygote.foreign.isEmpty ? Array(zygote.entries.indices) : zygote.foreign
        let tried = suspicion.flatMap { suspects.firstIndex(of: $0.entry) } ?? -1
        guard tried + 1 < suspects.count else { throw ShardFailure.lost(death) }
        next.suspicion = PlannedFault(
            piece: nil, ordinal: nil, entry: suspects[tried + 1], cause: death.cause, message: death.message)
        return [next]
    }

    /// The signal that it died at alone, what comes before it, and what comes behind.
    private func split(around note: CallNote) -> [ShardFlight] {
        let piece = min(max(Int(note.piece), pieces.lowerBound), pieces.upperBound - 1)
        return split(at: [piece, piece + 1])
    }
}

extension ShardFailure {
    fileprivate static func lost(_ death: ShardDeath) -> ShardFailure {
        ShardFailure(
            description: """
                a shard's process \(death.words), again and again
                  why: it does so outside of every call of a plugin, whichever entry is left out
                  fix: start again with --isolation thread, or take plugins out of 'chain' until it works
                """)
    }
}
