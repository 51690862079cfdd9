import BelfryEngine
import BelfryModel
import Glibc

/// What two configurations make of the same signals, side by side, in memory.
///
/// Both are decided by what decides a run. Nothing is stored, no action is run, and nothing is forwarded. A signal is decoded once;
/// timers fire on both sides in step. What is kept does not grow with the signals, but with the subjects.
public final class Simulation {
    public struct Options: Sendable {
        /// Fire timers up to this instant when the input ends.
        public var until: Instant?
        /// Nil: all subjects.
        public var sample: SubjectSample?
        /// Tell also of lines that only one side rejects. They are counted either way, and mostly no fault of the input: what was
        /// opened then was never created here.
        public var tellsOneSidedRejects = false
        /// How many of the decisions that differ are kept.
        public var first = 10

        public init() {}
    }

    /// A configuration to try.
    public struct Candidate {
        let name: String
        let fingerprint: String
        let loaded: Workspace.Loaded

        /// - Parameter name: what to call it.
        public init(_ name: String, _ workspace: Workspace, _ loaded: Workspace.Loaded) {
            self.name = name
            fingerprint = workspace.fingerprint
            self.loaded = loaded
        }
    }

    private let sides: [SimulationSide]
    private let options: Options
    private let rejects: ByteOutput
    private let warn: (String) -> Void
    private let progress: ((_ bytesRead: Int) -> Void)?

    private let decoder: SignalDecoder
    private var ledger = SubjectLedger()
    private var timeline = Timeline()
    private var differences: Differences
    private var lines = 0
    private var skipped = 0
    /// Lines that both sides reject.
    private var faults = 0
    private var start: Instant?
    /// The last place of a sampled subject.
    private var lastPlace = UInt64.max
    private var warned: Set<String> = []

    /// - Parameters:
    ///   - warn: gets each distinct warning once.
    ///   - progress: called now and then.
    public init(
        _ a: Candidate, against b: Candidate, options: Options = Options(), rejects: ByteOutput,
        warn: @escaping (String) -> Void, progress: ((Int) -> Void)? = nil
    ) throws {
        sides = try [a, b].map { try SimulationSide($0.name, fingerprint: $0.fingerprint, $0.loaded) }
        decoder = SignalDecoder(
            typesWithData: a.loaded.catalog.awaitedTypes.union(b.loaded.catalog.awaitedTypes))
        self.options = options
        self.rejects = rejects
        self.warn = warn
        self.progress = progress
        differences = Differences(keepingFirst: options.first)
    }

    /// Decides all signals of the input on both sides.
    ///
    /// - Throws: `UncountableSubjects`, `InputFailure` or `OutputFailure`.
    public func run(_ input: SignalInput) throws -> SimulationReport {
        try chooseSubjects(of: input)
        try forEachLine(of: input) { try take($0, number: $1) }
        if let until = options.until { try advance(sides, to: until, line: nil) }
        differences.settle(until: Instant(milliseconds: .max))
        try rejects.flush()
        for side in sides { side.lane.summary.lines = lines - skipped }
        return SimulationReport(
            a: sides[0], b: sides[1], timeline: timeline, ledger: ledger, differences: differences, file: input.file,
            lines: lines, start: start, until: options.until, sample: options.sample, skipped: skipped, rejects: faults)
    }

    private func forEachLine(of input: SignalInput, _ body: (LineReader.Line, Int) throws -> Void) throws {
        let reader = LineReader(input.descriptor, limit: SignalDecoder.lineLimit)
        while let line = try reader.next(wait: { true }) {
            try body(line, reader.lineNumber)
            guard reader.lineNumber.isMultiple(of: 1000) else { continue }
            for side in sides { try side.lane.rest() }
            progress?(reader.bytesRead)
        }
    }

    // MARK: Samples

    private func chooseSubjects(of input: SignalInput) throws {
        switch options.sample {
        case nil: break
        case .share(let share)?: lastPlace = share >= 1 ? .max : UInt64(share * 0x1p64)
        case .count(let count)?:
            guard input.file != nil else { throw UncountableSubjects(count: count) }
            var subjects = FirstSubjects(wanted: count)
            try forEachLine(of: input) { line, number in
                guard case .line(let bytes) = line, let signal = try? decoder.decode(bytes, line: number) else {
                    return
                }
                if !signal.subject.isEmpty { subjects.see(signal.subject) }
            }
            lastPlace = subjects.lastPlace
            guard lseek(input.descriptor, 0, SEEK_SET) == 0 else {
                throw InputFailure(reason: String(cString: strerror(errno)))
            }
        }
    }

    private func isWanted(_ signal: Signal) -> Bool {
        lastPlace == .max || signal.subject.isEmpty || SubjectSample.place(of: signal.subject) <= lastPlace
    }

    // MARK: Signals

    private func take(_ line: LineReader.Line, number: Int) throws {
        switch line {
        case .tooLong(let beginning):
            lines += 1
            try reject([.tooLong, .tooLong], beginning, number)
        case .line(let line):
            let bytes = number == 1 ? line.withoutByteOrderMark : line
            guard !bytes.isBlank else { return }
            lines += 1
            do {
                try take(try decoder.decode(bytes, line: number), bytes, number)
            } catch let reject as SignalReject {
                try self.reject([reject, reject], bytes, number)
            }
        }
    }

    private func take(_ signal: Signal, _ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
        guard isWanted(signal) else {
            // Of a subject who is not in the sample, a signal only moves time.
            skipped += 1
            return try advance(sides, to: signal.time, line: nil)
        }
        let answers = try sides.map { try $0.lane.answer(to: signal) }
        let admitting = zip(sides, answers).filter { $1 == .admitted }.map(\.0)
        if !admitting.isEmpty {
            start = min(start ?? signal.time, signal.time)
            try advance(admitting, to: signal.time, line: number)
            for side in admitting { try side.lane.apply(signal) }
            try compare(line: number)
        }
        try reject(answers.map(\.reject), bytes, number)
    }

    /// Notes who rejects a line, if anybody does: once, where both do for the same reason.
    private func reject(_ answers: [SignalReject?], _ bytes: UnsafeBufferPointer<UInt8>, _ number: Int) throws {
        for (side, reject) in zip(sides, answers) {
            if let reject { side.lane.summary.rejected[reject.code, default: 0] += 1 }
        }
        if !answers.contains(nil) { faults += 1 }
        if let reject = answers[0], reject == answers[1] {
            return try rejects.append(reject.line(for: bytes, number: number))
        }
        guard options.tellsOneSidedRejects || !answers.contains(nil) else { return }
        for (side, reject) in zip(["a", "b"], answers) {
            if let reject { try rejects.append(reject.line(for: bytes, number: number, side: side)) }
        }
    }

    /// Lets time pass, timer by timer on both sides: what they decide is compared before the next ones fire.
    private func advance(_ sides: [SimulationSide], to time: Instant, line: Int?) throws {
        while let due = sides.compactMap({ $0.lane.nextDue() }).min(), due <= time {
            for side in sides { try side.lane.pass(due) }
            try compare(line: line)
        }
        for side in sides { try side.lane.pass(time) }
    }

    /// Counts what both sides have decided, and compares it.
    private func compare(line: Int?) throws {
        for (index, side) in sides.enumerated() where side.hasNews {
            let judgements = try side.takeJudgements(line: line) { judgement, time in
                guard !judgement.outcome.isAboutDeletion else { return }
                timeline.add(index, judgement.decision.time, isCreated: judgement.outcome.isCreation)
                ledger.note(
                    index, judgement.decision.subject, day: time.day, isCreated: judgement.outcome == .created)
            }
            differences.add(index, judgements)
            for warning in side.warnings where warned.count < 1000 && warned.insert(warning).inserted { warn(warning) }
            side.warnings.removeAll()
        }
        differences.settle(until: sides.map(\.lane.watermark).min()!)
    }
}

extension Lane {
    fileprivate enum Answer: Equatable {
        case admitted, duplicate
        case rejected(SignalReject)

        var reject: SignalReject? { if case .rejected(let reject) = self { reject } else { nil } }
    }

    fileprivate func answer(to signal: Signal) throws -> Answer {
        do {
            return try admit(signal) ? .admitted : .duplicate
        } catch let reject as SignalReject {
            return .rejected(reject)
        }
    }
}

/// So many subjects cannot be chosen from this input.
public struct UncountableSubjects: Error, CustomStringConvertible {
    let count: Int

    public var description: String {
        """
        cannot choose \(count) subjects from this input
          why: for that the signals are read twice, and what comes through a pipe can be read once
          fix: name a file with --signals, or a share such as --subjects 10%
        """
    }
}
