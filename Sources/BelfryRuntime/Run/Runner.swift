import BelfryCore
import BelfryEngine
import BelfryJournal
import BelfryModel
import BelfrySignals
import Glibc

/// The run loop: lines in, decisions out.
///
/// Batches of lines go to the shards, which decide them; while they do, the batches before are made durable, and
/// their decisions leave (`Outbox`).
public final class Runner {
    public struct Options: Sendable {
        /// Signals committed together when input comes in a flood. A batch ends earlier when the input has nothing more to give.
        public var batchSize = 1000
        /// The longest time that a batch is to take, however slow plugins are.
        public var batchTime = Duration(milliseconds: 50)
        /// Records kept in memory.
        public var cacheCapacity = 100_000
        /// How many bytes the process may grow by for records, in place of their number.
        public var cacheBytes: Int?
        /// How many threads share the subjects among them. What comes out is the same.
        public var shards = 1
        /// Fire timers up to this instant when the input ends.
        public var until: Instant?
        /// Read a file from its beginning, whatever the last run did not finish.
        public var startsOver = false
        /// When records are stored, and how long the journal is kept.
        public var journal = Configuration.Journal()
        /// Whether the time of day passes for all subjects, and signals are held against it.
        public var hasWallClock = false
        /// Otherwise every action is taken to have been handled, and none runs.
        public var runsActions = true
        /// Leaves out entries that are at fault too often. With a wall clock there is one in any case.
        public var quarantine: EntryQuarantine?

        public init() {}

        public mutating func take(_ configuration: Configuration) {
            (batchSize, batchTime) = (configuration.batch.signals, configuration.batch.every)
            journal = configuration.journal
        }
    }

    let shards: ShardPool
    let outbox: Outbox
    var options: Options
    let rejectsOut: ByteOutput
    let events: [any RunEvents]
    let trace: TraceWriter?
    let store: OpenStore
    let checkpointer: Checkpointer
    var checkpoints = Checkpoints()
    let warn: (String) -> Void
    let progress: ((_ bytesRead: Int) -> Void)?
    var configuration: Configuration
    private(set) var provenance: Provenance?
    /// What the differences of records in the journal refer to: of all that was in force.
    private let directory = StateDirectory()
    let forward: Configuration.Forward?
    let outlets: [any Outlet]
    let quarantine: EntryQuarantine?

    var input = SignalInput(-1)
    var reader: BatchReader?
    var intake: SignalIntake?
    /// Batches that shards are deciding, the first one first.
    var underway: [Underway] = []
    /// When the last batch was seen to be decided.
    var arrived = ContinuousClock.now
    var pacer = BatchPacer()
    private var ticker = WallTicker()
    var memoryLimit: MemoryLimit?
    /// Calls that did not take a geotrigger: to be noted with the next batch.
    var unhandled: [ActionCall] = []
    var reload: Reload?
    var erasures: [SubjectErasure] = []
    var besides: [[UInt8]] = []
    var isAtEnd = false
    /// Whether the end of its input is none of time.
    private var isFollowing = false
    var summary = RunSummary()
    var warned: Set<String> = []

    /// The input pauses when nothing came for so many ms.
    private static let pause: Int32 = 20
    /// So many timers of one shard fire before what they came to is committed.
    private static let timersAtOnce = 1000

    /// - Parameters:
    ///   - events: what may happen besides the input.
    ///   - outlets: each delivers, or compares, what is in the journal, and is ended by the caller.
    ///   - trace: gets every signal, and every decision with all that the chain said.
    ///   - warn: gets each distinct warning once.
    ///   - progress: called now and then.
    public init(
        _ source: DecisionSource, store: OpenStore, options: Options = Options(),
        decisions: ByteOutput, rejects: ByteOutput, events: [any RunEvents] = [],
        outlets: [any Outlet] = [], trace: TraceWriter? = nil, warn: @escaping (String) -> Void,
        progress: ((Int) -> Void)? = nil
    ) throws {
        configuration = source.configuration
        (self.options, self.store, self.outlets) = (options, store, outlets)
        (rejectsOut, self.events, self.trace) = (rejects, events, trace)
        (self.warn, self.progress) = (warn, progress)
        forward = source.configuration.forward
        checkpoints.every = options.journal.checkpoint
        outbox = try Outbox(
            store.journal, isDurable: store.isDurable,
            Delivery(output: decisions, actions: options.runsActions ? source.actions(warn: warn) : NoActions()),
            source.configuration, hasWallClock: options.hasWallClock)
        let checkpointer = try Checkpointer(store)
        self.checkpointer = checkpointer
        quarantine = options.quarantine ?? (options.hasWallClock ? EntryQuarantine() : nil)
        do {
            shards = try ShardPool(
                source.workers(
                    ShardSettings(
                        count: max(1, options.shards), store: store, passed: outbox.position.passed,
                        capacity: options.cacheBytes == nil ? options.cacheCapacity / max(1, options.shards) : .max,
                        traced: try trace?.begin(store.records), quarantine: quarantine)), of: source, forward: forward,
                quarantine)
        } catch {
            checkpointer.end()
            throw error
        }
        // From here on what the process grows by is counted.
        memoryLimit = options.cacheBytes.map { MemoryLimit(bytes: $0) }
        // What the journal still has of the run before refers to that one's names.
        if store.behind != nil, let names = store.journal.value(JournalTail.names) { _ = directory.add(names) }
        note(source)
        for source in events { source.runBegan(store.isDurable ? store.recentRecords : shards.recentRecords) }
    }

    deinit { checkpointer.end() }

    /// What everything is to be decided by from the next batch on.
    struct Reload {
        let source: DecisionSource
        /// Whether it differs in its silences alone.
        let isSilence: Bool
    }

    /// Hands out what an earlier run left, reads all signals of the input, decides them, and says what was done.
    ///
    /// - Throws: `InputMismatch` or `TornOutput` before anything is read; `StoreError`, `RecordFailure`, `InputFailure` or
    ///   `OutputFailure` when it cannot go on. Whatever it is, another run takes up where the last commit was.
    public func run(_ input: SignalInput) throws -> RunSummary {
        self.input = input
        let rest = try unfinished(input)
        // The end of an input that a kill has kept from coming is still to come: sent again, all of it may be duplicates.
        if rest == nil, outbox.position.passed >= outbox.position.accepted {
            outbox.position.accepted = .distantPast
        }
        let lines = LineReader(
            input.descriptor, limit: SignalDecoder.lineLimit, offset: rest?.offset ?? 0, line: rest?.line ?? 0)
        try noteInput(line: lines.lineNumber, end: lines.offset)
        try rejectsOut.dropTornLine(#"{"line":"#)
        return try run(lines)
    }

    /// Hands out what an earlier run left, and decides what comes to the intake until that is closed.
    ///
    /// - Throws: as `run`.
    public func serve(_ intake: SignalIntake) throws -> RunSummary {
        (input, self.intake) = (SignalInput(intake.descriptor), intake)
        return try run(intake)
    }

    /// Decides what is in the journal of another run, from where this store has come to in it, until the source is closed.
    ///
    /// - Throws: as `run`; `JournalError` if the entry to go on with is not kept any more.
    func follow(_ source: JournalSource) throws -> RunSummary {
        (input, isFollowing) = (source.input, true)
        try source.begin(after: outbox.position)
        return try run(source)
    }

    private func run(_ source: any SignalSource) throws -> RunSummary {
        summary.handedOutAgain = try outbox.handOutLeftovers { try changes(marking: $0) }
        do {
            try takeAll(BatchReader(source, shards: shards.count))
            // Only when that is done the file is: a kill in between is one in the middle of it.
            try storeAll()
            try markHandedOut()
            try storeAll()
        } catch {
            // What was decided before leaves all the same.
            try? finishAll()
            abandonErasures(error)
            throw error
        }
        if isAtEnd { try trace?.end() }
        return summary
    }

    private func takeAll(_ reader: BatchReader) throws {
        self.reader = reader
        input: while let step = try reader.step(limit: pacer.limit(options), clock: clock, wait: wait) {
            switch step {
            case .batch(let batch): try begin(batch)
            case .tick(let line, let time):
                try finishAll()
                summary.counts.lines += 1
                outbox.position.accepted = max(outbox.position.accepted, time)
                guard try tick(time, from: line) else { break input }
                summary.counts.processed += 1
            }
            try store.checkThatItIsHeld()
            guard try passWallTime(), try handleEvents() else { break }
        }
        try finishAll()
        if summary.stoppedBy == nil, intake == nil, !isFollowing { try finish() }
        try eraseTheLast()
    }

    // MARK: Beginning and end

    /// Where the last run stopped in this input, if it is to be gone on with.
    private func unfinished(_ input: SignalInput) throws -> InputPosition? {
        guard input.file != nil, !options.startsOver, let last = outbox.position.input else { return nil }
        // A file that was read to its end is done, and reading it again is a wish of its own; but only if that run could still
        // say so.
        if last.isFinished {
            guard try outbox.hasLeftovers, try input.begins(like: last) else { return nil }
        }
        try input.resume(at: last)
        return last
    }

    /// The end of the input is a tick, too.
    private func finish() throws {
        let end = max(outbox.position.accepted, options.until ?? .distantPast)
        if end > .distantPast {
            guard try tick(end, from: nil) else { return }
        }
        isAtEnd = true
        try noteInput(line: outbox.position.input?.line ?? 0, end: outbox.position.input?.offset ?? 0)
        try commit([], in: [])
    }

    // MARK: Time

    /// Fires all timers that are due at or before a tick. So many may be due that what they come to is committed in between; then the input is
    /// still before the line that says so.
    ///
    /// - Parameter line: the one that the tick came of.
    /// - Returns: whether to go on.
    private func tick(_ time: Instant, from line: LineReader.Line?) throws -> Bool {
        if let line {
            try trace?.append(TraceLine.signal(line.bytes, line: line.number))
        } else {
            try trace?.append(TraceLine.until(time))
        }
        while true {
            let bounds = try shards.begin(ShardTask(work: .bound(time, atMost: Self.timersAtOnce))).wait()
                .compactMap(\.bound)
            let (bound, part) = (bounds.min(), nextPart)
            let answers = try shards.begin(ShardTask(work: .tick(time, bound: bound), part: part)).wait()
            if bound == nil {
                outbox.position.passed = max(outbox.position.passed, time)
                if let line { try noteInput(line: line.number, end: line.end) }
            }
            let order = ShardAnswer.order(ofTimers: answers)
            for place in order { try trace?.append(answers[place.shard].trace(of: place.piece)) }
            let isDone = bound == nil && line != nil
            try commit(
                answers, in: order, signal: isDone ? line : nil, places: isDone ? [.decided(0..<0)] : [], part: part)
            if bound == nil { return true }
            guard try handleEvents(betweenSignals: false) else { return false }
        }
    }

    var clock: SignalDecoder.Clock? {
        options.hasWallClock
            ? SignalDecoder.Clock(now: .wallClock, ahead: configuration.clockAhead) : nil
    }

    /// With a wall clock, a tick each second.
    ///
    /// - Returns: whether to go on.
    private func passWallTime() throws -> Bool {
        guard options.hasWallClock, let now = ticker.tick() else { return true }
        try finishAll()
        return try tick(now, from: nil)
    }

    // MARK: What happens besides

    /// The input has nothing more to give for now: everything is committed and handed out before the wait.
    ///
    /// - Returns: whether to go on.
    private func wait() throws -> Bool {
        try finishAll()
        let descriptors = [input.descriptor] + events.map(\.descriptor)
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        // A sender of one signal after the other does not wait for that.
        if poll(&polls, nfds_t(polls.count), Self.pause) == 0 { try markHandedOut() }
        while true {
            let timeout = options.hasWallClock ? ticker.untilNext : store.isShared ? 1000 : -1
            guard poll(&polls, nfds_t(polls.count), timeout) >= 0 || errno == EINTR else {
                throw InputFailure(reason: String(cString: strerror(errno)))
            }
            try store.checkThatItIsHeld()
            guard try handleEvents(), try passWallTime() else { return false }
            if polls[0].revents != 0 { return true }
        }
    }

    func note(_ source: DecisionSource) {
        _ = directory.add(source.names)
        outbox.note(directory.bytes, as: JournalTail.names)
        provenance = source.provenance
        if let provenance { outbox.note(provenance.journalBytes, as: Provenance.journalKey) }
    }
}
