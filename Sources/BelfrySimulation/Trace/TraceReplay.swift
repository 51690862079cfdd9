import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import Foundation

/// Decides the signals of a trace once more, and compares what comes of it with what the trace says.
public final class TraceReplay {
    private let subjects: SubjectSet
    private let decoder: SignalDecoder
    private var comparison: TraceComparison
    private let fingerprint: String
    private let mostFirst: Int
    private let progress: ((_ bytesRead: Int) -> Void)?

    private var catalog: Catalog { subjects.engine.catalog }
    /// Until when a tick still fires timers.
    private var tick: Instant?
    private var line: Int?
    /// How many of the effects were compared.
    private var compared = 0
    private var isWhole = false
    private var willDecide: ((_ subject: String, _ signal: String) throws -> Void)?
    /// Called when lines were read, before any of them is decided.
    package var didRead: () throws -> Void = {}

    /// A line of a trace may hold a signal with every character escaped, and a decision with what the chain said.
    private static let lineLimit = 32 << 20

    /// - Parameters:
    ///   - first: how many of the decisions that differ are kept.
    ///   - progress: called now and then.
    public init(_ candidate: Simulation.Candidate, first: Int, progress: ((Int) -> Void)? = nil) {
        subjects = SubjectSet(Engine(candidate.loaded.catalog))
        decoder = SignalDecoder(typesWithData: candidate.loaded.catalog.awaitedTypes)
        fingerprint = candidate.fingerprint
        mostFirst = first
        self.progress = progress
        comparison = TraceComparison()
    }

    /// The engine, which calls `willDecide` before it decides.
    package func watch(_ willDecide: (Engine) throws -> (_ subject: String, _ signal: String) throws -> Void) rethrows {
        self.willDecide = try willDecide(subjects.engine)
    }

    /// - Throws: `UnusableTrace`, or `InputFailure`.
    public func run(_ input: SignalInput) throws -> TraceComparison {
        let reader = LineReader(input.descriptor, limit: Self.lineLimit)
        var read = 0
        while let line = try reader.next(wait: { true }) {
            if reader.bytesRead > read {
                read = reader.bytesRead
                try didRead()
            }
            guard !line.isTooLong, let fields = Value(json: Array(line.bytes)[...])?.map else {
                // The last line of a run that was killed may be half a line.
                if try reader.next(wait: { true }) == nil, line.number > 1 { break }
                throw UnusableTrace(line: line.number, why: "it is no line of a trace")
            }
            if line.number == 1 { try begin(fields) } else { try take(fields, line) }
            if line.number.isMultiple(of: 1000) { progress?(reader.bytesRead) }
        }
        guard reader.lineNumber > 0 else { throw UnusableTrace(line: 1, why: "the file is empty") }
        if isWhole { try finish() }
        comparison.isWhole = isWhole
        return comparison
    }

    private func begin(_ header: Fields) throws {
        guard let version = header["trace"]?.integer else {
            throw UnusableTrace(line: 1, why: "no trace begins like this")
        }
        guard version == TraceLine.version else {
            throw UnusableTrace(
                line: 1, why: "it is of format \(version), and this belfry reads \(TraceLine.version)")
        }
        comparison.isSameConfiguration = header["fingerprint"]?.text == fingerprint
    }

    private func take(_ fields: Fields, _ line: LineReader.Line) throws {
        if let decision = fields["decision"]?.map {
            try compare(decision, line.bytes)
        } else if let number = fields["line"]?.integer {
            guard let text = fields["signal"]?.text else { return }
            try finish()
            self.line = Int(number)
            comparison.signals += 1
            try begin(text, line: Int(number))
        } else if let until = fields["until"]?.text.flatMap(Instant.init(rfc3339:)) {
            try finish()
            self.line = nil
            tick = until
        } else if let subject = fields["subject"]?.text {
            try learn(subject, fields["record"]?.text, line.number)
        } else if fields["end"] != nil {
            isWhole = true
        } else {
            throw UnusableTrace(line: line.number, why: "it is no line of a trace")
        }
    }

    /// Takes over what the store of the run knew of a subject.
    private func learn(_ subject: String, _ text: String?, _ number: Int) throws {
        guard let bytes = text.flatMap({ Data(base64Encoded: $0) }).map(Array.init),
            let record = try? SubjectRecord(subject: subject, reading: bytes, catalog.services.states)
        else { throw UnusableTrace(line: number, why: "it has no record of '\(subject)' that can be read") }
        subjects.insert(record)
    }

    private func begin(_ text: String, line: Int) throws {
        var text = text
        do {
            let signal = try text.withUTF8 { try decoder.decode($0, line: line) }
            try willDecide?(signal.subject, signal.cause)
            if signal.isTick {
                tick = signal.time
                // What came of the signal before it was compared.
                subjects.effects.begin("")
            } else {
                _ = try subjects.decide(signal)
            }
        } catch is SignalReject {
            // Then nothing comes of it; if that is new, decisions of the trace are missing here.
            subjects.effects.begin("")
        }
        compared = 0
    }

    // MARK: Steps

    /// The next decision of what is being worked on, by its place in the effects; nil when that is done.
    private func next() throws -> Int? {
        while compared == subjects.effects.count, let time = tick {
            compared = 0
            if let timer = subjects.nextTimer(until: time) {
                try willDecide?(timer.subject.text, "a timer")
                _ = try subjects.fire(timer)
            } else {
                subjects.effects.begin("")
                subjects.didPass(time)
                tick = nil
            }
        }
        guard compared < subjects.effects.count else { return nil }
        compared += 1
        return compared - 1
    }

    /// What is left is in no trace.
    private func finish() throws {
        while let index = try next() { note(nil, index) }
    }

    private func compare(_ traced: Fields, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        comparison.decisions += 1
        guard let index = try next() else { return note(.map(traced), nil) }
        let expected = TraceLine.beginning(of: subjects.effects, index, catalog)
        let isEqual = bytes.starts(with: expected) && [0x2C, 0x7D].contains(bytes[expected.count])
        if !isEqual { note(.map(traced), index) }
    }

    private func note(_ traced: Value?, _ index: Int?) {
        comparison.differing += 1
        guard comparison.first.count < mostFirst else { return }
        let replayed = index.flatMap { index in
            let line = TraceLine.beginning(of: subjects.effects, index, catalog) + [UInt8(ascii: "}")]
            return Value(json: line[...])?.map?["decision"]
        }
        comparison.first.append(TraceComparison.Difference(line: line, traced: traced, replayed: replayed))
    }
}

/// The file is no trace that can be replayed.
public struct UnusableTrace: Error, CustomStringConvertible {
    let line: Int
    let why: String

    public var description: String {
        """
        cannot replay this trace
          why: line \(line): \(why)
          fix: name a file that 'belfry run --trace' has written
        """
    }
}
