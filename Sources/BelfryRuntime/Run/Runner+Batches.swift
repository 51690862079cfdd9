import BelfryCore
import BelfryModel
import BelfrySignals

/// A batch that shards are deciding.
struct Underway {
    let batch: SignalBatch
    let answers: ShardPool.Pending
    let began: ContinuousClock.Instant
    /// When it was decided; nil: by the threads of shards, which are still to be seen to have done so.
    let ended: ContinuousClock.Instant?
    /// Nil where nothing is durable.
    let part: CheckpointPart?
    /// Whether it notes that calls of batches before were not handled.
    let marksUnhandled: Bool
}

/// What shards have decided: it leaves when it is durable.
private struct Commit {
    let answers: [ShardAnswer]
    let batch: OutgoingBatch
    /// What became of the signals of an intake, whose callers wait for that.
    let places: [SignalPlace]
    /// Whether it has an entry in the journal.
    let hasEntry: Bool
    let began = ContinuousClock.now
    var part: CheckpointPart?
    /// How long it took to decide it; nil where that is not a batch of signals.
    var deciding: Swift.Duration?
}

/// Batches go to the shards. Those that are decided are made durable together, and leave, while the next ones are decided.
extension Runner {
    /// So many batches are decided ahead of those that are made durable: of large ones so many that shards do not run out of work while a
    /// disk syncs, of small ones so few that the next one has more lines.
    private static func ahead(of batch: SignalBatch) -> Int { batch.lines.count < 100 ? 4 : 16 }

    func begin(_ batch: SignalBatch) throws {
        let marks = unhandled
        unhandled = []
        let part = nextPart
        let (began, isQuick) = (ContinuousClock.now, pacer.isQuick(batch))
        let answers = shards.begin(
            ShardTask(unhandled: marks, work: .lines(batch), part: part, isQuick: isQuick))
        let ended: ContinuousClock.Instant? = isQuick ? .now : nil
        if let ended { pacer.note(quickTook: ended - began) }
        underway.append(
            Underway(
                batch: batch, answers: answers, began: began, ended: ended, part: part, marksUnhandled: !marks.isEmpty))
        let ahead = Self.ahead(of: batch)
        // Shards have enough to do while large ones are made durable.
        while underway.count > ahead { try finishFirst(leaving: batch.lines.count < 100 ? 0 : ahead / 2) }
    }

    func finishAll() throws { while !underway.isEmpty { try finishFirst() } }

    /// Waits for the first batch, makes it durable together with those behind it that are decided by then, and hands them out. One that calls
    /// handlers is the last of them: after a kill, handlers of no other are called again.
    ///
    /// - Parameter count: so many stay underway.
    private func finishFirst(leaving count: Int = 0) throws {
        var commits: [Commit] = []
        let adding = Result {
            repeat {
                commits.append(try add(underway.removeFirst()))
            } while commits.last?.batch.calls.isEmpty == true && underway.count > count
                && underway.first?.answers.haveArrived == true
        }
        do {
            try handOut(commits)
            try adding.get()
        } catch {
            // What was decided on the records that this batch left cannot be committed without it.
            underway.removeAll()
            throw error
        }
    }

    private func add(_ first: Underway) throws -> Commit {
        let answers = try first.answers.wait()
        // Shards begin with it when they are done with the one before.
        let ended = first.ended ?? .now
        let deciding = ended - max(first.began, arrived)
        arrived = ended
        pacer.note(first.batch.lines.count, took: deciding, options)
        let order = ShardAnswer.order(of: answers, to: first.batch)
        try reject(answers, of: first.batch)
        if let trace { try append(answers, to: first.batch, to: trace) }
        summary.counts.lines += first.batch.lines.count { $0.shard != nil || $0.reject != nil }
        outbox.position.accepted = answers.reduce(outbox.position.accepted) { max($0, $1.accepted) }
        if let last = first.batch.lines.last { try noteInput(line: last.number, end: last.end) }
        let places = intake == nil ? [] : SignalPlace.places(of: answers, to: first.batch)
        var commit = try add(answers, in: order, signal: nil, places: places)
        (commit.part, commit.deciding) = (first.part, deciding)
        return commit
    }

    /// Rejects leave in the order of lines. One that is rejected again after a kill is better than one that is lost.
    private func reject(_ answers: [ShardAnswer], of batch: SignalBatch) throws {
        if answers.allSatisfy(\.rejects.isEmpty), batch.lines.allSatisfy({ $0.reject == nil }) { return }
        try ShardAnswer.forEachLine(of: batch, answeredBy: answers) { line, _, reject in
            guard let reject else { return }
            summary.counts.rejected[reject.code, default: 0] += 1
            try rejectsOut.append(reject.line(for: line.bytes, number: line.number))
        }
        try rejectsOut.flush()
    }

    private func append(_ answers: [ShardAnswer], to batch: SignalBatch, to trace: TraceWriter) throws {
        try ShardAnswer.forEachLine(of: batch, answeredBy: answers) { line, place, reject in
            if let place {
                try trace.append(answers[place.shard].trace(of: place.piece))
            } else if let reject {
                try trace.append(TraceLine.rejected(reject, line: line.number))
            }
        }
    }

    /// Makes durable what the shards have decided, and hands it out.
    ///
    /// - Parameters:
    ///   - signal: the line of a tick.
    ///   - places: what became of the signals of an intake, whose callers wait for that.
    ///   - part: what they gave of a checkpoint.
    func commit(
        _ answers: [ShardAnswer], in order: [ShardAnswer.Place], signal: LineReader.Line? = nil,
        places: [SignalPlace] = [], part: CheckpointPart? = nil
    ) throws {
        var commit = try add(answers, in: order, signal: signal, places: places)
        commit.part = part
        try handOut([commit])
    }

    private func add(
        _ answers: [ShardAnswer], in order: [ShardAnswer.Place], signal: LineReader.Line?, places: [SignalPlace]
    ) throws -> Commit {
        for answer in answers { summary.counts.add(answer.counts) }
        noteFaults(answers)
        var batch = OutgoingBatch()
        batch.append(answers, in: order)
        try trace?.flush(decisions: batch.count)
        // What was not handled is noted in the records that are committed by now.
        let isMarked = unhandled.isEmpty && !underway.contains { $0.marksUnhandled }
        let hasEntry =
            try store.isDurable
            && outbox.add(content(of: batch, answers, in: order, signal, places), isSettled: isMarked)
        return Commit(answers: answers, batch: batch, places: places, hasEntry: hasEntry)
    }

    /// What the journal gets to know.
    private func content(
        of batch: OutgoingBatch, _ answers: [ShardAnswer], in order: [ShardAnswer.Place], _ signal: LineReader.Line?,
        _ places: [SignalPlace]
    ) -> Outbox.Content {
        var content = Outbox.Content(batch: batch, forwarded: forwarded(answers))
        if let signal {
            content.signals += signal.bytes + [UInt8(ascii: "\n")]
            content.answers.append(0..<0)
        }
        content.answers.append(answers, in: order)
        content.signals.reserveCapacity(answers.reduce(content.signals.count) { $0 + $1.signals.count })
        content.changes.reserveCapacity(answers.reduce(0) { $0 + $1.changes.count })
        answers.appendSignals(in: order, to: &content.signals)
        for answer in answers { answer.changes.withBytes { content.changes.append(contentsOf: $0) } }
        if let intake { content.requests = intake.requests(at: places) }
        return content
    }

    /// Makes batches durable together, and hands them out in their order.
    private func handOut(_ commits: [Commit]) throws {
        var last = store.journal.durable
        var entries = try outbox.sync()[...]
        let now = ContinuousClock.now
        for commit in commits {
            let entry = commit.hasEntry ? entries.popFirst() : nil
            last = entry ?? last
            try handOut(commit, entry, last: last, committing: now - commit.began)
        }
        for outlet in outlets { outlet.ring() }
    }

    /// - Parameter last: the last entry of the journal that came of this batch or one before.
    private func handOut(_ commit: Commit, _ entry: UInt64?, last: UInt64, committing: Swift.Duration) throws {
        let (unhandled, outcomes) = try outbox.deliver(commit.batch, entry)
        self.unhandled += unhandled
        for warning in commit.answers.lazy.flatMap(\.warnings)
        where warned.count < 1000 && warned.insert(warning).inserted {
            warn(warning)
        }
        if let intake { tell(intake, commit, outcomes, committing) }
        if let part = commit.part { try checkpoint(part, commit.answers, entry: last) }
        if let reader { progress?(reader.bytesRead) }
        if !commit.answers.isEmpty { try makeRoom(commit.answers) }
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
