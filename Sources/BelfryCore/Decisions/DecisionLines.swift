import BelfryEngine
import BelfryModel

/// The lines of decisions, with gaps for what is known only when their actions have run.
package struct DecisionLines: ~Copyable {
    package private(set) var writer: JSONWriter
    package private(set) var gaps: [DecisionGap] = []
    /// Actions to run, in the order of the gaps that wait for them.
    package private(set) var calls: [ActionCall] = []

    package init() { writer = JSONWriter() }

    /// Writes lines where there is room for them; what is longer than that is elsewhere.
    package init(over memory: UnsafeMutableRawBufferPointer) { writer = JSONWriter(over: memory) }

    /// Forgets everything but its memory.
    package mutating func removeAll() {
        writer.removeAll()
        if !gaps.isEmpty { gaps.removeAll(keepingCapacity: true) }
        if !calls.isEmpty { calls.removeAll(keepingCapacity: true) }
    }

    /// The lines, until more are added; the gaps are not filled.
    package var lent: UnsafeRawBufferPointer { writer.withBytes { $0 } }

    /// How many bytes the lines have.
    package var count: Int { writer.count }

    package mutating func add(_ effects: borrowing Effects, _ catalog: Catalog) {
        for index in 0..<effects.count {
            if let gap = effects.write(index, to: &writer, catalog) { note(gap, effects.decision(index)) }
        }
    }

    /// Adds lines that were made elsewhere, with their gaps.
    ///
    /// - Returns: whether the gaps fit the lines and calls: they are in order, and each call has one gap for its outcome, which may follow
    ///   directly behind one for whether the call was handled.
    package mutating func append(_ lines: UnsafeRawBufferPointer, _ gaps: [DecisionGap], _ calls: [ActionCall]) -> Bool
    {
        let (shift, firstCall) = (count, self.calls.count)
        let offsets = [-1] + gaps.map(\.offset) + [lines.count]
        guard zip(offsets, offsets.dropFirst()).allSatisfy({ $0 < $1 }),
            gaps.filter({ $0.kind == .outcome }).map(\.call) == Array(calls.indices),
            zip(gaps, gaps.dropFirst()).allSatisfy({ $0.kind == .outcome || $1 == $0.outcome(at: $1.offset) }),
            gaps.last?.kind != .handled
        else { return false }
        writer.append(lines)
        self.gaps += gaps.map { DecisionGap(offset: shift + $0.offset, kind: $0.kind, call: firstCall + $0.call) }
        self.calls += calls
        return true
    }

    private mutating func note(_ gap: Decision.Gap, _ decision: Decision) {
        switch gap {
        case .handled(let offset): gaps.append(DecisionGap(offset: offset, kind: .handled, call: calls.count))
        case .outcome(let offset):
            guard case .invoked(let invocation) = decision.body else { return }
            // A geotrigger's outcome is awaited by a decision before it.
            let isAwaited = gaps.last.map { $0.kind == .handled && $0.call == calls.count } ?? false
            gaps.append(DecisionGap(offset: offset, kind: .outcome, call: calls.count))
            calls.append(
                ActionCall(
                    subject: decision.subject, time: decision.time, invocation: invocation, isAwaited: isAwaited))
        }
    }
}

/// Where a line waits for what an action comes to.
package struct DecisionGap: Equatable, Sendable {
    package let offset: Int
    package let kind: Kind
    /// The index of the call whose outcome belongs there.
    package let call: Int

    package enum Kind: String, Sendable {
        case outcome, handled
    }

    /// The gap that waits for the same call's outcome.
    fileprivate func outcome(at offset: Int) -> Self { Self(offset: offset, kind: .outcome, call: call) }

    package init(offset: Int, kind: Kind, call: Int) { (self.offset, self.kind, self.call) = (offset, kind, call) }
}

/// An action that a decision invokes.
package struct ActionCall: Equatable, Sendable {
    package let subject: String
    package let time: Instant
    package let invocation: Decision.Invocation
    /// Whether the outcome says if a geotrigger was handled.
    package let isAwaited: Bool

    package init(subject: String, time: Instant, invocation: Decision.Invocation, isAwaited: Bool) {
        (self.subject, self.time, self.invocation, self.isAwaited) = (subject, time, invocation, isAwaited)
    }

    /// The one that is handled if the outcome says so; nil: none waits for it.
    package var geotrigger: FiredGeotrigger? {
        guard isAwaited, let campaign = invocation.campaign, let number = invocation.number else { return nil }
        return FiredGeotrigger(campaign: campaign, number: number, time: time)
    }
}

extension [DecisionGap] {
    /// Lines with the gaps filled.
    package func fill(_ bytes: [UInt8], with outcomes: [Decision.Outcome]) -> [UInt8] {
        fill(bytes) { $0.filling(outcomes) }
    }

    /// - Parameter filling: gives what belongs into a gap.
    package func fill(_ bytes: [UInt8], _ filling: (DecisionGap) -> [UInt8]) -> [UInt8] {
        if isEmpty { return bytes }
        var lines: [UInt8] = []
        lines.reserveCapacity(bytes.count + 64 * count)
        var start = 0
        for gap in self {
            lines += bytes[start..<gap.offset]
            start = gap.offset
            lines += filling(gap)
        }
        return lines + bytes[start...]
    }
}

extension DecisionGap {
    /// What belongs there.
    package func filling(_ outcomes: [Decision.Outcome]) -> [UInt8] {
        let outcome = outcomes[call]
        return switch kind {
        case .outcome: outcome.members
        case .handled: [UInt8]((outcome.status == .ok ? "true" : "false").utf8)
        }
    }
}
