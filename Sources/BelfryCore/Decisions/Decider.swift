import BelfryEngine
import BelfryModel
import BelfrySignals

/// What one thread needs to decide.
final class Decider: @unchecked Sendable {
    // Unchecked: a core hands each to one thread at a time.
    let engine: Engine
    private(set) var effects = Effects()
    private let decoder: SignalDecoder
    private let actions: CoreActions

    init(_ catalog: Catalog, _ actions: CoreActions) {
        engine = Engine(catalog)
        decoder = SignalDecoder(typesWithData: catalog.awaitedTypes)
        self.actions = actions
    }

    /// - Throws: `SignalReject`, before anything has changed.
    func decide(_ signal: Signal, on record: inout SubjectRecord) throws(SignalReject) -> Engine.Progress {
        effects.begin(record.subject)
        guard record.isOf(signal.subject) else {
            throw SignalReject(
                .invalidAttribute, "'subject' is '\(signal.subject)'; the record is that of '\(record.subject)'")
        }
        do throws(SignalFault) {
            return try engine.decide(signal, on: &record, passed: .distantPast, into: &effects)
        } catch {
            throw SignalReject(error)
        }
    }

    func fire(_ record: inout SubjectRecord, until time: Instant) {
        effects.begin(record.subject)
        _ = engine.tick(&record, to: time, into: &effects)
    }

    // MARK: Lines

    /// Decides lines on a record, fires timers, and runs actions.
    ///
    /// - Parameter tick: nil fires no more timers than signals do.
    func decide(_ lines: SignalLines, on record: inout SubjectRecord, tick: Instant?) -> (
        decisions: [UInt8], rejects: [UInt8]
    ) {
        var output = DecisionLines()
        var rejects: [UInt8] = []
        lines.forEach { line, number in
            do throws(SignalReject) {
                try decide(line, number, on: &record)
                output.add(effects, engine.catalog)
            } catch {
                rejects += error.line(for: line, number: number)
            }
        }
        if let tick {
            fire(&record, until: tick)
            output.add(effects, engine.catalog)
        }
        return (finish(output, &record), rejects)
    }

    private func decide(
        _ line: UnsafeBufferPointer<UInt8>, _ number: Int, on record: inout SubjectRecord
    ) throws(SignalReject) {
        let signal = try decoder.decode(line, line: number)
        if case .clockAdvanced = signal.event { return fire(&record, until: signal.time) }
        _ = try decide(signal, on: &record)
    }

    /// Runs the actions, and fills in what they came to.
    private func finish(_ output: consuming DecisionLines, _ record: inout SubjectRecord) -> [UInt8] {
        let outcomes = output.calls.map { actions.run($0.invocation) }
        for (call, outcome) in zip(output.calls, outcomes) where call.isAwaited && outcome.status != .ok {
            if let campaign = call.invocation.campaign {
                engine.markUnhandled(campaign, firedAt: call.time, in: &record)
            }
        }
        return output.gaps.fill(output.writer.bytes, with: outcomes)
    }
}
