import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import Glibc

/// What two configurations make of the same signals, side by side, in memory.
///
/// Both are decided by what decides a run. Nothing is stored, no action is run, and nothing is forwarded. A signal is decoded once;
/// a tick fires timers on both sides in step. What is kept does not grow with the signals, but with the subjects.
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
        /// What the report calls the input; nil: the name of its file.
        public var source: String?

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
    /// The largest time that was accepted.
    private var accepted = Instant.distantPast
    /// The last place of a sampled subject.
    private var lastPlace = UInt64.max
    private var warned: Set<String> = []
    /// Called when lines were read, before any of them is decided.
    package var didRead: () throws -> Void = {}

    /// - Parameters:
    ///   - warn: gets each distinct warning once.
    ///   - progress: called now and then.
    public init(
        _ a: Candidate, against b: Candidate, options: Options = Options(), rejects: ByteOutput,
        warn: @escaping (String) -> Void, progress: ((Int) -> Void)? = nil
    ) {
        sides = [a, b].map { SimulationSide($0.name, fingerprint: $0.fingerprint, $0.loaded) }
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
        try forEachLine(of: input, take)
        try tick(sides.map { max($0.accepted, options.until ?? .distantPast) }, line: nil)
        differences.settle()
        try rejects.flush()
        for side in sides { side.signals.lines = lines - skipped }
        return SimulationReport(
            a: sides[0], b: sides[1], timeline: timeline, ledger: ledger, differences: differences,
            file: options.source ?? input.file,
            lines: lines, start: start, end: accepted == .distantPast ? nil : accepted, until: options.until,
            sample: options.sample, skipped: skipped, rejects: faults)
    }

    /// The engines of both sides; each calls `willDecide` before it decides.
    package func watch(_ willDecide: (Engine) throws -> (_ subject: String, _ signal: String) throws -> Void) rethrows {
        for side in sides { side.willDecide = try willDecide(side.subjects.engine) }
    }

    private func forEachLine(of input: SignalInput, _ body: (LineReader.Line) throws -> Void) throws {
        let reader = LineReader(input.descriptor, limit: SignalDecoder.lineLimit)
        var read = 0
        while let line = try reader.next(wait: { true }) {
            if reader.bytesRead > read {
                read = reader.bytesRead
                try didRead()
            }
            try body(line)
            if line.number.isMultiple(of: 1000) { progress?(reader.bytesRead) }
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
            try forEachLine(of: input) { line in
                guard !line.isTooLong, let signal = try? decoder.decode(line.bytes, line: line.number) else { return }
                if !signal.isTick { subjects.see(signal.subject) }
            }
            lastPlace = subjects.lastPlace
            guard lseek(input.descriptor, 0, SEEK_SET) == 0 else {
                throw InputFailure(reason: String(cString: strerror(errno)))
            }
        }
    }

    private func isWanted(_ signal: Signal) -> Bool {
        lastPlace == .max || signal.isTick || SubjectSample.place(of: signal.subject) <= lastPlace
    }

    // MARK: Signals

    private func take(_ line: LineReader.Line) throws {
        guard line.isTooLong || !line.bytes.isBlank else { return }
        lines += 1
        if line.isTooLong { return try reject([.tooLong, .tooLong], line) }
        do {
            try take(try decoder.decode(line.bytes, line: line.number), line)
        } catch let reject as SignalReject {
            try self.reject([reject, reject], line)
        }
    }

    private func take(_ signal: Signal, _ line: LineReader.Line) throws {
        guard isWanted(signal) else {
            skipped += 1
            // The input ends when it does for all subjects.
            accepted = max(accepted, signal.time)
            for side in sides { side.didAccept(signal.time) }
            return
        }
        if signal.isTick {
            noteAccepted(signal.time)
            for side in sides {
                side.didAccept(signal.time)
                side.signals.processed += 1
            }
            return try tick([signal.time, signal.time], line: line.number)
        }
        let answers = try sides.map { try $0.decide(signal) }
        if answers.contains(.accepted) {
            noteAccepted(signal.time)
            try compare(signal.subject, line: line.number)
        }
        try reject(answers.map(\.reject), line)
    }

    private func noteAccepted(_ time: Instant) {
        accepted = max(accepted, time)
        start = min(start ?? time, time)
    }

    /// Notes which sides reject a line: once, where both do for the same reason.
    private func reject(_ answers: [SignalReject?], _ line: LineReader.Line) throws {
        for (side, reject) in zip(sides, answers) {
            if let reject { side.signals.rejected[reject.code, default: 0] += 1 }
        }
        if !answers.contains(nil) { faults += 1 }
        if let reject = answers[0], reject == answers[1] {
            return try rejects.append(reject.line(for: line.bytes, number: line.number))
        }
        guard options.tellsOneSidedRejects || !answers.contains(nil) else { return }
        for (side, reject) in zip(["a", "b"], answers) {
            if let reject { try rejects.append(reject.line(for: line.bytes, number: line.number, side: side)) }
        }
    }

    /// Fires timers one by one on both sides: what they decide is compared before the next ones fire.
    ///
    /// - Parameter times: up to when, for each side.
    private func tick(_ times: [Instant], line: Int?) throws {
        while let timer = zip(sides, times).compactMap({ $0.subjects.nextTimer(until: $1) }).min() {
            for (side, time) in zip(sides, times) where side.subjects.nextTimer(until: time) == timer {
                try side.fire(timer)
            }
            try compare(timer.subject.text, line: line)
        }
        for (side, time) in zip(sides, times) { side.subjects.didPass(time) }
    }

    /// Counts what both sides have decided about a subject, and compares it.
    private func compare(_ subject: String, line: Int?) throws {
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
        let until = try sides.map { try $0.latest(of: subject) }.min()!  // of two
        differences.settle(SubjectKey(subject), until: until)
    }
}

/// So many subjects cannot be chosen from this input.
public struct UncountableSubjects: Error, CustomStringConvertible {
    let count: Int

    public var description: String {
        """
        cannot choose \(count) subjects from this input
          why: for that the signals are read twice, and what comes through a pipe or from a journal can be read once
          fix: name a file with --signals, or a share such as --subjects 10%
        """
    }
}
