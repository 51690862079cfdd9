import BelfryEngine
import BelfryModel
import BelfryStore
import Glibc

/// The run loop: lines in, decisions out.
///
/// Signals are worked on in batches, each of which is made durable before its decisions leave (`Outbox`).
public final class Runner {
    public struct Options: Sendable {
        /// Signals committed together when input comes in a flood. A batch ends earlier when the input has nothing more to give.
        public var batchSize = 1000
        /// The longest time from the first signal of a batch to its commit, however fast input comes.
        public var batchTime = Duration(milliseconds: 50)
        /// Records kept in memory.
        public var cacheCapacity = 100_000
        /// How many bytes the process may grow by for records, in place of their number.
        public var cacheBytes: Int?
        /// How many threads share the subjects among them, each a catalog and a part of the cache of its own. What comes out
        /// is the same.
        public var shards = 1
        /// Fire timers up to this instant when the input ends.
        public var until: Instant?
        /// Read a file from its beginning, whatever the last run did not finish.
        public var startsOver = false

        public init() {}

        public mutating func take(_ batch: Configuration.Batch) {
            (batchSize, batchTime) = (batch.signals, batch.every)
        }
    }

    private let lanes: Lanes
    private let store: any RecordStore
    private let outbox: Outbox
    private var options: Options
    private let rejectsOut: ByteOutput
    private let events: [any RunEvents]
    private let trace: TraceWriter?
    private let warn: (String) -> Void
    private let progress: ((_ bytesRead: Int) -> Void)?

    private let decoder: SignalDecoder
    private var source: LineSource?
    private var input = SignalInput(-1)
    /// How much of the input was decided: all lines before the one at work.
    @exclusivity(unchecked) private var taken = (offset: 0, line: 0)
    /// Whether all of the input was decided, timers until the end included.
    private var isAtEnd = false
    /// Came while the timers before a signal fired; it waits for the next signal.
    private var reload: Workspace.Loaded?
    @exclusivity(unchecked) private var linesInBatch = 0
    /// When the batch has to be committed; nil before its first line.
    @exclusivity(unchecked) private var deadline: ContinuousClock.Instant?
    private var summary = RunSummary()
    private var warned: Set<String> = []

    /// - Parameters:
    ///   - isDurable: whether the store outlives the process.
    ///   - events: what may happen besides the input.
    ///   - forwarder: takes what is to be forwarded, and is ended by the caller.
    ///   - trace: gets every signal, and every decision with all that the chain said.
    ///   - warn: gets each distinct warning once.
    ///   - progress: called now and then.
    public init(
        _ catalog: Catalog, providers: Providers, store: any RecordStore, isDurable: Bool, options: Options = Options(),
        decisions: ByteOutput, rejects: ByteOutput, events: [any RunEvents] = [], forwarder: Forwarder? = nil,
        trace: TraceWriter? = nil, warn: @escaping (String) -> Void, progress: ((Int) -> Void)? = nil
    ) throws {
        self.store = store
        self.options = options
        rejectsOut = rejects
        self.events = events
        self.trace = trace
        self.warn = warn
        self.progress = progress
        let position = try RunPosition(from: store)
        decoder = SignalDecoder(typesWithData: catalog.awaitedTypes)
        // A trace tells of one lane, in its order.
        let shards = trace == nil ? max(1, options.shards) : 1
        lanes = try Lanes(
            catalog.copies(shards, providers), store: store, isDurable: isDurable,
            cacheCapacity: options.cacheBytes == nil ? options.cacheCapacity : .max,
            cacheBytes: options.cacheBytes, watermark: position.watermark)
        lanes.typesWithData = catalog.awaitedTypes
        outbox = Outbox(
            lanes, store, isDurable: isDurable, position,
            Delivery(output: decisions, actions: ActionRunner(of: catalog, providers, warn: warn)), forwarder)
        if let trace { lanes.engine.witness = { trace.note($0) } }
    }

    /// Hands out what an earlier run left, reads all signals of the input, decides them, and says what was done.
    ///
    /// - Throws: `InputMismatch` or `TornOutput` before anything is read; `StoreError`, `RecordFailure`, `InputFailure` or
    ///   `OutputFailure` when it cannot go on. Whatever it is, another run takes up where the last commit was.
    public func run(_ input: SignalInput) throws -> RunSummary {
        self.input = input
        let rest = try unfinished(input)
        let reader = LineReader(
            input.descriptor, limit: SignalDecoder.lineLimit, offset: rest?.offset ?? 0, line: rest?.line ?? 0)
        taken = (reader.offset, reader.lineNumber)
        try trace?.begin(store)
        summary.handedOutAgain = try outbox.handOutLeftovers()
        do {
            try takeAll(LineSource(reader, isGrouped: lanes.all.count > 1))
            if summary.stoppedBy == nil { try finish() }
            try commit()
            try outbox.markHandedOut()
        } catch {
            // What was decided before leaves all the same, and nobody writes any more.
            try? outbox.finish()
            throw error
        }
        if isAtEnd { try trace?.end() }
        for lane in lanes.all { summary.add(lane.summary) }
        return summary
    }

    private func takeAll(_ source: LineSource) throws {
        self.source = source
        // Whoever decodes ahead reads the reader's memory.
        defer { lanes.finishDecoding() }
        while let lines = try source.next(
            room: options.batchSize - linesInBatch, batchSize: options.batchSize, wait: wait)
        {
            guard try take(lines, before: source.ahead) else { break }
            guard isBatchFull() else { continue }
            try commit(isWaiting: false)
            progress?(source.bytesRead)
            guard try handleEvents() else { break }
        }
    }

    // MARK: Beginning and end

    /// Where the last run stopped in this input, if it is to be gone on with.
    private func unfinished(_ input: SignalInput) throws -> InputPosition? {
        guard input.file != nil, !options.startsOver, let last = outbox.position.input else { return nil }
        // A file that was read to its end is done, and to read it again is somebody's wish; but only if that run could still
        // say so.
        if last.isFinished {
            guard try outbox.hasLeftovers, try input.begins(like: last) else { return nil }
        }
        try input.resume(at: last)
        return last
    }

    private func finish() throws {
        if let until = options.until {
            trace?.noteEnd(until: until, before: lanes.decisions)
            if try !lanes.advance(to: until, pause: pause) { return }
        }
        isAtEnd = true
    }

    /// - Returns: whether all lines were decided; false when the run is to end before that.
    private func take(_ next: LineSource.Next, before ahead: [LineGroup]) throws -> Bool {
        switch next {
        case .line(let line): return try take([line])
        case .group(let group):
            guard try lanes.decide(group, before: ahead) else { return try take(group.lines) }
            try note(group)
            return true
        }
    }

    private func take(_ lines: [LineGroup.Line]) throws -> Bool {
        for line in lines {
            guard try take(line) else { return false }
            taken = (line.end, line.number)
            linesInBatch += 1
        }
        return true
    }

    /// Several lines were decided at once.
    private func note(_ group: LineGroup) throws {
        for (place, line) in group.lines.enumerated() {
            if let reject = group.reject(of: place) { try self.reject(reject, line) }
            if group[place].kind == .nothing { continue }
            summary.lines += 1
        }
        taken = group.lines.last.map { ($0.end, $0.number) } ?? taken
        linesInBatch += group.lines.count
    }

    /// - Returns: whether the line was decided; false when the run is to end before that.
    private func take(_ line: LineGroup.Line) throws -> Bool {
        switch decoder.decode(line) {
        case .nothing: return true
        case .reject(let reject): try self.reject(reject, line)
        case .signal(let signal):
            do {
                try trace?.note(signal, line.text, line: line.number, before: lanes.decisions)
                guard try lanes.process(signal, pause: pause) else { return false }
            } catch let reject as SignalReject {
                try self.reject(reject, line)
            }
        }
        summary.lines += 1
        return true
    }

    /// A long time may have passed: what the timers came to is committed in batches, too. The input is still before the signal that
    /// moves the watermark.
    ///
    /// - Returns: whether to go on.
    private func pause() throws -> Bool {
        guard lanes.decisions >= options.batchSize else { return true }
        try commit()
        return try handleEvents(betweenSignals: false)
    }

    private func reject(_ reject: SignalReject, _ line: LineGroup.Line) throws {
        summary.rejected[reject.code, default: 0] += 1
        trace?.noteReject(reject, line: line.number, before: lanes.decisions)
        try rejectsOut.append(reject.line(for: line.text, number: line.number))
    }

    // MARK: Commits

    private func isBatchFull() -> Bool {
        if linesInBatch >= options.batchSize { return true }
        // To ask for the time at every line would cost more than it tells.
        guard lanes.all.count > 1 || linesInBatch % 16 == 1 else { return false }
        guard let deadline else {
            self.deadline = .now + .milliseconds(options.batchTime.milliseconds)
            return false
        }
        return ContinuousClock.now >= deadline
    }

    /// Makes the batch durable, then hands out its decisions and runs its actions.
    ///
    /// - Parameter isWaiting: false: the next batch may be decided while this one is made durable, and leaves later.
    private func commit(isWaiting: Bool = true) throws {
        try outbox.finish()
        let order = lanes.order()
        let batch = outbox.batch(of: order)
        try trace?.write(lanes.all[0].effects, first: batch.first, source: lanes.engine.catalog.configuration.app)
        // A line that is rejected again after a kill is better than one that is lost.
        try rejectsOut.flush()
        lanes.measureMemory()
        let place = try input.position(offset: taken.offset, line: taken.line, isFinished: isAtEnd)
        try outbox.commit(batch, order, from: place, isWaiting: isWaiting || trace != nil)
        tellWarnings()
        lanes.clearEffects()
        (linesInBatch, deadline) = (0, nil)
    }

    private func tellWarnings() {
        for warning in lanes.all.lazy.flatMap(\.effects.warnings)
        where warned.count < 1000 && warned.insert(warning).inserted {
            warn(warning)
        }
    }

    // MARK: What happens besides

    /// The input has nothing more to give for now: everything is committed and handed out before the wait.
    ///
    /// - Returns: whether to go on.
    private func wait() throws -> Bool {
        try commit()
        let descriptors = [input.descriptor] + events.map(\.descriptor)
        var polls = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if poll(&polls, 1, 0) == 0 { try outbox.markHandedOut() }
        while true {
            guard poll(&polls, nfds_t(polls.count), -1) >= 0 || errno == EINTR else {
                throw InputFailure(reason: String(cString: strerror(errno)))
            }
            guard try handleEvents() else { return false }
            if polls[0].revents != 0 { return true }
        }
    }

    /// After a commit.
    ///
    /// - Returns: whether to go on.
    private func handleEvents(betweenSignals: Bool = true) throws -> Bool {
        for source in events {
            while let event = try source.next() {
                switch event {
                case .stop(let why):
                    summary.stoppedBy = why
                    return false
                case .reload(let loaded): reload = loaded
                }
            }
        }
        if betweenSignals, let loaded = reload { take(loaded) }
        return true
    }

    private static let forwardStays = """
        'forward' has changed, and stays for this run as it was at its start
          fix: stop this run and start it again
        """

    /// From the next signal on, everything is decided by this.
    private func take(_ loaded: Workspace.Loaded) {
        reload = nil
        let forward = lanes.engine.forward
        if loaded.catalog.configuration.forward != forward { warn(Self.forwardStays) }
        lanes.take(loaded.catalog.copies(lanes.all.count, loaded.providers), forward: forward)
        decoder.typesWithData = loaded.catalog.awaitedTypes
        lanes.typesWithData = loaded.catalog.awaitedTypes
        source?.forgetDecoded()
        outbox.delivery.actions.take(loaded.catalog, loaded.providers)
        options.take(loaded.catalog.configuration.batch)
    }
}

extension Catalog {
    /// So many catalogs of the same configuration, this one among them.
    fileprivate func copies(_ count: Int, _ providers: Providers) -> [Catalog] {
        // What was compiled once can be compiled again; if a plugin will not, lanes share one, which is slower.
        [self]
            + (1..<count).map { _ in
                (try? Catalog(configuration, providers: providers, services: services)) ?? self
            }
    }
}
