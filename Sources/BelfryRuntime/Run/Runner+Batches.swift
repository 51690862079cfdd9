import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals

/// A batch that shards are deciding.
struct Underway {
    let batch: SignalBatch
    let answers: ShardPool.Pending
    let began: ContinuousClock.Instant
    /// Nil where nothing is durable.
    let part: CheckpointPart?
    /// Whether it notes that calls of batches before were not handled.
    let marksUnhandled: Bool
}

/// What shards have decided, and has an entry in the journal: it leaves when that is durable.
private struct Commit {
    let answers: [ShardAnswer]
    let batch: OutgoingBatch
    /// What became of signals that somebody waits for.
    let places: [SignalPlace]
    /// Nil if there was nothing to say, or nothing is durable.
    let entry: UInt64?
    /// The last entry of the journal at that time.
    let last: UInt64
    let began = ContinuousClock.now
    var part: CheckpointPart?
    /// How long it took to decide it; nil where that is not a batch of signals.
    var deciding: Swift.Duration?
}

/// Batches go to the shards. Those that are decided are made durable together, and leave, while the next ones are decided.
extension Runner {
    /// So many batches are decided ahead of those that are made durable.
    private static let ahead = 4

    func begin(_ batch: SignalBatch) throws {
        let marks = unhandled
        unhandled = []
        let part = nextPart
        let answers = shards.begin(ShardTask(unhandled: marks, work: .lines(batch), part: part))
        underway.append(
            Underway(batch: batch, answers: answers, began: .now, part: part, marksUnhandled: !marks.isEmpty))
        while underway.count > Self.ahead { try finishFirst() }
    }

    func finishAll() throws { while !underway.isEmpty { try finishFirst() } }

    /// Waits for the first batch, makes it durable together with those behind it that are decided by then, and hands them out.
    private func finishFirst() throws {
        var commits: [Commit] = []
        let appending = Result {
            repeat { commits.append(try append(underway.removeFirst())) } while underway.first?.answers.areThere == true
        }
        do {
            try handOut(commits)
            try appending.get()
        } catch {
            // What was decided on the records that this batch left cannot be committed without it.
            underway.removeAll()
            throw error
        }
    }

    private func append(_ first: Underway) throws -> Commit {
        let answers = try first.answers.wait()
        let deciding = ContinuousClock.now - first.began
        pacer.note(first.batch.lines.count, took: deciding, options)
        let order = ShardAnswer.order(of: answers, to: first.batch)
        try reject(answers, of: first.batch)
        if let trace { try append(answers, in: order, of: first.batch, to: trace) }
        summary.counts.lines += first.batch.lines.count { $0.shard != nil || $0.reject != nil }
        outbox.position.accepted = answers.reduce(outbox.position.accepted) { max($0, $1.accepted) }
        if let last = first.batch.lines.last { try noteInput(line: last.number, end: last.end) }
        let places = intake == nil ? [] : SignalPlace.places(of: answers, to: first.batch)
        var commit = try append(answers, in: order, signal: nil, places: places)
        (commit.part, commit.deciding) = (first.part, deciding)
        return commit
    }

    /// Rejects leave in the order of lines. One that is rejected again after a kill is better than one that is lost.
    private func reject(_ answers: [ShardAnswer], of batch: SignalBatch) throws {
        var next = Array(repeating: 0, count: answers.count)
        var rejects = answers.map { $0.rejects[...] }
        for line in batch.lines {
            var reject = line.reject
            if let shard = line.shard {
                if rejects[shard].first?.piece == next[shard] { reject = rejects[shard].removeFirst().reject }
                next[shard] += 1
            }
            guard let reject else { continue }
            summary.counts.rejected[reject.code, default: 0] += 1
            try rejectsOut.append(reject.line(for: line.bytes, number: line.number))
        }
        try rejectsOut.flush()
    }

    private func append(
        _ answers: [ShardAnswer], in order: [ShardAnswer.Place], of batch: SignalBatch, to trace: TraceWriter
    ) throws {
        var order = order[...]
        for line in batch.lines {
            if line.shard != nil, let place = order.popFirst() {
                try trace.append(answers[place.shard].pieces[place.piece].trace)
            } else if let reject = line.reject {
                try trace.append(TraceLine.rejected(reject, line: line.number))
            }
        }
    }

    /// Makes durable what the shards have decided, and hands it out.
    ///
    /// - Parameters:
    ///   - signal: the line of a tick.
    ///   - places: what became of signals that somebody waits for.
    ///   - part: what they gave of a checkpoint.
    func commit(
        _ answers: [ShardAnswer], in order: [ShardAnswer.Place], signal: SignalBatch.Line? = nil,
        places: [SignalPlace] = [], part: CheckpointPart? = nil
    ) throws {
        var commit = try append(answers, in: order, signal: signal, places: places)
        commit.part = part
        try handOut([commit])
    }

    private func append(
        _ answers: [ShardAnswer], in order: [ShardAnswer.Place], signal: SignalBatch.Line?, places: [SignalPlace]
    ) throws -> Commit {
        for answer in answers { summary.counts.add(answer.counts) }
        noteFaults(answers)
        var batch = OutgoingBatch()
        batch.append(answers, in: order)
        try trace?.flush(decisions: batch.count)
        // What was not handled is noted in the records that are committed by now.
        let isMarked = unhandled.isEmpty && !underway.contains { $0.marksUnhandled }
        var content = Outbox.Content(batch: batch, forwarded: forwarded(answers))
        if let signal {
            content.signals += signal.bytes + [UInt8(ascii: "\n")]
            content.answers.append(0..<0)
        }
        content.answers.append(answers, in: order)
        for answer in answers {
            answer.signals.withBytes { content.signals.append(contentsOf: $0) }
            answer.changes.withBytes { content.changes.append(contentsOf: $0) }
        }
        if let intake { content.requests = intake.requests(at: places) }
        let entry = try outbox.append(content, isSettled: isMarked)
        return Commit(answers: answers, batch: batch, places: places, entry: entry, last: store.journal.last)
    }

    /// Makes durable what was appended, and hands it out in its order.
    private func handOut(_ commits: [Commit]) throws {
        try outbox.sync()
        for commit in commits { try handOut(commit) }
    }

    private func handOut(_ commit: Commit) throws {
        let committing = ContinuousClock.now - commit.began
        let (unhandled, outcomes) = try outbox.deliver(commit.batch, commit.entry)
        self.unhandled += unhandled
        for outlet in outlets { outlet.ring() }
        for warning in commit.answers.lazy.flatMap(\.warnings)
        where warned.count < 1000 && warned.insert(warning).inserted {
            warn(warning)
        }
        if let intake { tell(intake, commit, outcomes, committing) }
        if let part = commit.part { try checkpoint(part, commit.answers, entry: commit.last) }
        if let reader { progress?(reader.bytesRead) }
        try makeRoom(commit.answers)
    }

    private func tell(
        _ intake: SignalIntake, _ commit: Commit, _ outcomes: [Decision.Outcome], _ committing: Swift.Duration
    ) {
        let lines = commit.batch.lines(outcomes)
        intake.didCommit(
            CommitNote(
                commit.answers, decisions: lines, accepted: outbox.position.accepted, deciding: commit.deciding,
                committing: committing))
        intake.answer(SignalResult.results(at: commit.places, in: lines))
    }

    private func noteFaults(_ answers: [ShardAnswer]) {
        guard let quarantine else { return }
        quarantine.note(answers.map(\.counts))
        for news in quarantine.takeNews() { warn(news) }
    }

    /// What is to be forwarded, in the order of the shards' pieces: each subject's own is in order.
    private func forwarded(_ answers: [ShardAnswer]) -> [Outgoing] { answers.flatMap { $0.outgoing.map(\.item) } }

    func noteInput(line: Int, end: Int) throws {
        outbox.position.input =
            try input.position(offset: end, line: line, isFinished: isAtEnd) ?? outbox.position.input
    }

    /// Decisions that waited for how their actions end may leave then.
    func markHandedOut() throws {
        try outbox.markHandedOut(try markedUnhandled())
        for outlet in outlets { outlet.ring() }
    }

    private func markedUnhandled() throws -> [UInt8] {
        if unhandled.isEmpty { return [] }
        let calls = unhandled
        unhandled = []
        return try changes(marking: calls)
    }

    /// How records change when it is noted that calls were not handled.
    func changes(marking calls: [ActionCall]) throws -> [UInt8] {
        let part = store.isDurable ? CheckpointPart() : nil
        return try shards.begin(ShardTask(unhandled: calls, part: part)).wait().reduce(into: []) {
            $0 += $1.changes.bytes
        }
    }
}
