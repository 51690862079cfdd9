import BelfryEngine
import BelfryModel
import BelfryStore
import Foundation

/// Decides the signals of a trace once more, and compares what comes of it with what the trace says.
public final class TraceReplay {
    private let store = MemoryStore()
    private let lane: Lane
    private let source: String
    private let decoder: SignalDecoder
    private var writer = JSONWriter()
    private var comparison: TraceComparison
    private let fingerprint: String
    private let mostFirst: Int
    private let progress: ((_ bytesRead: Int) -> Void)?

    /// What is being worked on: a signal, or the time until which it passes.
    private var goal: Goal?
    private var line: Int?
    /// How many of the effects were compared.
    private var compared = 0
    private var isWhole = false

    private enum Goal {
        case signal(Signal)
        case time(Instant)

        var time: Instant {
            switch self {
            case .signal(let signal): signal.time
            case .time(let time): time
            }
        }
    }

    /// A line of a trace may hold a signal with every character escaped, and a decision with what the chain said.
    private static let lineLimit = 32 << 20

    /// - Parameters:
    ///   - first: how many of the decisions that differ are kept.
    ///   - progress: called now and then.
    public init(_ candidate: Simulation.Candidate, first: Int, progress: ((Int) -> Void)? = nil) throws {
        lane = try Lane(Engine(candidate.loaded.catalog), in: store)
        decoder = SignalDecoder(typesWithData: candidate.loaded.catalog.awaitedTypes)
        source = candidate.loaded.catalog.configuration.app
        fingerprint = candidate.fingerprint
        mostFirst = first
        self.progress = progress
        comparison = TraceComparison()
    }

    /// - Throws: `UnusableTrace`, or `InputFailure`.
    public func run(_ input: SignalInput) throws -> TraceComparison {
        let reader = LineReader(input.descriptor, limit: Self.lineLimit)
        while let line = try reader.next(wait: { true }) {
            guard case .line(let bytes) = line, let fields = Value(json: Array(bytes)[...])?.map else {
                // The last line of a run that was killed may be half a line.
                if try reader.next(wait: { true }) == nil, reader.lineNumber > 1 { break }
                throw UnusableTrace(line: reader.lineNumber, why: "it is no line of a trace")
            }
            if reader.lineNumber == 1 { try begin(fields) } else { try take(fields, bytes, reader.lineNumber) }
            guard reader.lineNumber.isMultiple(of: 1000) else { continue }
            try lane.rest()
            progress?(reader.bytesRead)
        }
        guard reader.lineNumber > 0 else { throw UnusableTrace(line: 1, why: "the file is empty") }
        if isWhole { try finishGoal() }
        comparison.isWhole = isWhole
        return comparison
    }

    private func begin(_ header: Fields) throws {
        guard let version = header["trace"]?.integer else {
            throw UnusableTrace(line: 1, why: "no trace begins like this")
        }
        guard version == TraceWriter.version else {
            throw UnusableTrace(
                line: 1, why: "it is of format \(version), and this belfry reads \(TraceWriter.version)")
        }
        comparison.isSameConfiguration = header["fingerprint"]?.text == fingerprint
    }

    private func take(_ fields: Fields, _ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
        if let decision = fields["decision"]?.map {
            try compare(decision, bytes)
        } else if let line = fields["line"]?.integer {
            guard let text = fields["signal"]?.text else { return }
            try finishGoal()
            self.line = Int(line)
            comparison.signals += 1
            try begin(text, line: Int(line))
        } else if let until = fields["until"]?.text.flatMap(Instant.init(rfc3339:)) {
            try finishGoal()
            (line, goal) = (nil, .time(until))
        } else if let subject = fields["subject"]?.text {
            try learn(subject, fields["record"]?.text, number)
        } else if fields["end"] != nil {
            isWhole = true
        } else {
            throw UnusableTrace(line: number, why: "it is no line of a trace")
        }
    }

    /// Takes over what the store of the run knew of somebody.
    private func learn(_ subject: String, _ text: String?, _ number: Int) throws {
        guard let bytes = text.flatMap({ Data(base64Encoded: $0) }).map(Array.init),
            let record = try? SubjectRecord(subject: subject, decoding: bytes)
        else { throw UnusableTrace(line: number, why: "it has no record of '\(subject)' that can be read") }
        try store.commit(
            StoreBatch(records: [RecordChange(subject: subject, bytes: bytes, nextDue: record.nextDue)]))
        lane.expectTimer(of: subject, at: record.nextDue)
    }

    private func begin(_ text: String, line: Int) throws {
        var text = text
        do {
            let signal = try text.withUTF8 { try decoder.decode($0, line: line) }
            if try lane.admit(signal) { goal = .signal(signal) }
        } catch is SignalReject {
            // Then nothing comes of it; if that is new, decisions of the trace are missing here.
        }
    }

    // MARK: Steps

    /// The next decision of what is being worked on, by its place in the effects; nil when that is done.
    private func next() throws -> Int? {
        while compared == lane.effects.count, let goal {
            lane.clearEffects()
            compared = 0
            if let due = lane.nextDue(), due <= goal.time {
                try lane.pass(due)
            } else {
                try lane.pass(goal.time)
                if case .signal(let signal) = goal { try lane.apply(signal) }
                self.goal = nil
            }
        }
        guard compared < lane.effects.count else { return nil }
        compared += 1
        return compared - 1
    }

    /// What is left is in no trace.
    private func finishGoal() throws {
        while let index = try next() { note(nil, index, number: 0) }
    }

    private func compare(_ traced: Fields, _ bytes: UnsafeBufferPointer<UInt8>) throws {
        comparison.decisions += 1
        let number = traced["id"]?.text.flatMap { UInt64($0.dropFirst(2)) } ?? 0
        guard let index = try next() else { return note(.map(traced), nil, number: number) }
        let expected = beginning(of: index, number)
        let isEqual = bytes.starts(with: expected) && [0x2C, 0x7D].contains(bytes[expected.count])
        if !isEqual { note(.map(traced), index, number: number) }
    }

    private func beginning(of index: Int, _ number: UInt64) -> [UInt8] {
        TraceWriter.beginning(of: lane.effects, index, number: number, source: source, &writer)
    }

    private func note(_ traced: Value?, _ index: Int?, number: UInt64) {
        comparison.differing += 1
        guard comparison.first.count < mostFirst else { return }
        let replayed = index.flatMap { index in
            Value(json: (beginning(of: index, number) + [UInt8(ascii: "}")])[...])?.map?["decision"]
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
