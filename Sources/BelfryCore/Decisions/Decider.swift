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
    func decide(
        _ signal: Signal, on record: inout SubjectRecord, passed: Instant
    ) throws(SignalReject) -> Engine.Progress {
        effects.begin(record.subject)
        guard record.isOf(signal.subject) else {
            throw SignalReject(
                .invalidAttribute, "'subject' is '\(signal.subject)'; the record is that of '\(record.subject)'")
        }
        do throws(SignalFault) {
            return try engine.decide(signal, on: &record, passed: passed, into: &effects)
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
    /// - Parameters:
    ///   - passed: the last tick before the lines.
    ///   - until: a tick behind the lines; nil: none.
    func decide(_ lines: SignalLines, on record: inout SubjectRecord, passed: Instant, until: Instant?) -> (
        decisions: [UInt8], rejects: [UInt8]
    ) {
        var passed = passed
        var output = DecisionLines()
        var rejects: [UInt8] = []
        lines.forEach { line, number in
            do throws(SignalReject) {
                try decide(line, number, on: &record, passed: &passed)
                output.add(effects, engine.catalog)
            } catch {
                rejects += error.line(for: line, number: number)
            }
        }
        if let until {
            fire(&record, until: until)
            output.add(effects, engine.catalog)
        }
        return (finish(output, &record), rejects)
    }

    private func decide(
        _ line: UnsafeBufferPointer<UInt8>, _ number: Int, on record: inout SubjectRecord, passed: inout Instant
    ) throws(SignalReject) {
        if line.count > SignalDecoder.lineLimit { throw .tooLong }
        let signal = try decoder.decode(line, line: number)
        guard case .clockAdvanced = signal.event else {
            _ = try decide(signal, on: &record, passed: passed)
            return
        }
        fire(&record, until: signal.time)
        passed = max(passed, signal.time)
    }

    /// Runs the actions, and fills in what they came to.
    private func finish(_ output: consuming DecisionLines, _ record: inout SubjectRecord) -> [UInt8] {
        let outcomes = output.calls.map { actions.run($0.invocation) }
        for (call, outcome) in zip(output.calls, outcomes) where outcome.status != .ok {
            if let geotrigger = call.geotrigger { engine.markUnhandled(geotrigger, in: &record) }
        }
        return output.gaps.fill(output.writer.bytes, with: outcomes)
    }
}
