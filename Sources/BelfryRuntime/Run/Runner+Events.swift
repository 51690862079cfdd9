import BelfryEngine

/// What happens besides the input: the end, another configuration, other signals, erasures.
extension Runner {
    /// - Returns: whether to go on.
    func handleEvents(betweenSignals: Bool = true) throws -> Bool {
        try readEvents()
        guard summary.stoppedBy == nil else { return false }
        if betweenSignals, let next = reload { try take(next) }
        if betweenSignals, !besides.isEmpty { try decideBesides() }
        if betweenSignals { try eraseAll() }
        return true
    }

    private func readEvents() throws {
        for source in events {
            while let event = try source.next() {
                switch event {
                case .stop(let why): summary.stoppedBy = summary.stoppedBy ?? why
                case .reload(let next): reload = Reload(source: next, isSilence: false)
                case .silence(let next): reload = Reload(source: next, isSilence: reload?.isSilence ?? true)
                case .signals(let lines): besides += lines
                case .erase(let erasure): erasures.append(erasure)
                }
            }
        }
    }

    /// Carries out the erasures that were asked for before the run ends. A run that has read its input to the end counts as complete, also
    /// when a stop comes now.
    func eraseTheLast() throws {
        let stoppedBy = summary.stoppedBy
        try readEvents()
        if isAtEnd { summary.stoppedBy = stoppedBy }
        try eraseAll()
    }

    /// Answers the erasures that are left with the error that ended the run.
    func abandonErasures(_ error: any Error) {
        for erasure in erasures { erasure.done(.failure(error)) }
        erasures = []
    }

    private func eraseAll() throws { while !erasures.isEmpty { try erase(erasures.removeFirst()) } }

    /// The place in the input stays where it is.
    private func decideBesides() throws {
        try finishAll()
        guard let reader else { return }
        let place = (line: outbox.position.input?.line ?? 0, end: outbox.position.input?.offset ?? 0)
        let batch = reader.batch(of: besides, line: place.line, end: place.end, clock: clock)
        besides = []
        try begin(batch)
        try finishAll()
    }

    /// Between two batches all records can be brought to the end of the journal, so that what it has of one of them is not needed.
    private func erase(_ erasure: SubjectErasure) throws {
        // A refusal is for the one that asks: the run goes on.
        do { try store.records.checkThatItErases() } catch { return erasure.done(.failure(error)) }
        do {
            try finishAll()
            try markHandedOut()
            try storeAll()
            let hasErased = try store.erase(erasure.subject)
            if let notice = store.records.unfinishedErasure { warn(notice) }
            try reader?.readAnew()
            _ = try shards.begin(ShardTask(work: .forget(erasure.subject))).wait()
            // What an outlet keeps all the same is no fault of the run.
            erasure.carryOut(in: outlets[...], after: .success(hasErased))
        } catch {
            erasure.done(.failure(error))
            throw error
        }
    }

    private static let forwardStays = """
        'forward' has changed, and stays for this run as it was at its start
          fix: stop this run and start it again
        """

    /// From the next signal on, everything is decided by this.
    func take(_ reload: Reload) throws {
        let next = reload.source
        self.reload = nil
        try finishAll()
        // What was at fault may be mended; other silences mend nothing.
        if !reload.isSilence, next.provenance != provenance { quarantine?.forget() }
        configuration = next.configuration
        if configuration.forward != forward { warn(Self.forwardStays) }
        shards.take(next)
        note(next)
        outbox.delivery.actions.take(next)
        options.take(configuration)
        if intake != nil { options.journal.take(configuration.service) }
        checkpoints.every = options.journal.checkpoint
        intake?.didReload()
    }
}
