import BelfryCore
import BelfryModel

// What comes from the process: what it made of a request, and which records it needs.

extension ShardSupervisor {
    func take(_ bell: ShardChannel.Bell) throws {
        process?.noteProgress()
        do {
            switch bell.kind {
            case .question: try giveRecords(bell.length)
            case .answer: try takeAnswer(bell.length)
            case .ready, .request, .records: throw MessageReader.Nonsense()
            }
        } catch is MessageReader.Nonsense {
            // A plugin writes where it may not: the process counts as one that has died.
            try replaceProcess(endedWith: .nonsense)
        }
    }

    private func takeAnswer(_ length: Int) throws {
        guard sent > 0, let message = process?.takeAnswer(length) else { throw MessageReader.Nonsense() }
        let saves = flights[0].saves
        let answer = try flights[0].gather(message, isSound)
        if saves { committed.didSave(answer.changed, answer.released) }
        unsaved.didAnswer(saves: saves, changes: answer.changes.raw(in: 0..<answer.changes.count))
        process?.records = answer.records
        if let told = process?.untraced { traced?.formUnion(told) }
        process?.untraced = []
        sent -= 1
        try finishFirst()
        process?.noteMemory()
    }

    /// Whether it tells of the shard's subjects only.
    private func isSound(_ answer: ShardAnswer) -> Bool {
        committed.areLent(answer.changed) && committed.areLent(answer.released)
            && RecordChanges.areSound(answer.changes.raw(in: 0..<answer.changes.count), isMine)
            && answer.output.calls.allSatisfy { isMine(stableHash($0.subject)) }
            && answer.outgoing.allSatisfy { isMine(stableHash($0.item.subject)) }
    }

    /// The first one is answered.
    func finishFirst() throws {
        let gathering = flights[0].gathering
        if gathering.parts == 1 { try complete(gathering.answer, to: flights[0].task) }
        gathering.parts -= 1
        flights.removeFirst()
        if gathering.parts == 0 { gathering.target.change { $0 = gathering.answer } }
    }

    private func complete(_ answer: ShardAnswer, to task: ShardTask) throws {
        if case .recent(let limit) = task.work { answer.recent = try committed.recent(limit) }
        // Another process has to know what has passed.
        if case .tick(let time, bound: nil) = task.work { settings.passed = max(settings.passed, time) }
        if let part = task.part { try committed.collect(part, answer) }
        (answer.dirty, answer.shared) = (committed.dirtyCount, committed.shared.used)
        // Those that the process has are some of these.
        answer.records = committed.count
    }

    /// Gives the process records that it does not have.
    private func giveRecords(_ length: Int) throws {
        guard let process, let bytes = process.channel.read(.question, length) else { throw MessageReader.Nonsense() }
        var reader = MessageReader(bytes)
        let subjects = try reader.list { reader throws(MessageReader.Nonsense) in try reader.text() }
        guard subjects.allSatisfy({ isMine(stableHash($0)) }) else { throw MessageReader.Nonsense() }
        let records = try committed.lend(subjects)
        if traced != nil { self.process!.untraced.formUnion(subjects.map(SubjectKey.init)) }
        let written = try process.channel.write(to: .records) { message in
            for lent in records {
                message.optional(lent.bytes) { $0.bytes($1) }
                message.number(lent.lastDecision)
                message.number(lent.place)
            }
        }
        self.process!.handOver(.records, written)
    }

    func isMine(_ hash: UInt64) -> Bool { BatchReader.shard(hash, of: place.count) == place.index }
}

extension ShardFlight {
    /// Adds an answer to what its task has come to. If it makes no sense, it leaves nothing behind.
    ///
    /// - Parameters:
    ///   - message: where the process may still write: of a whole task each byte is looked at once, a part is copied.
    ///   - isSound: says of an answer whether it may be taken.
    /// - Returns: the answer alone.
    fileprivate func gather(
        _ message: UnsafeRawBufferPointer, _ isSound: (ShardAnswer) -> Bool
    ) throws -> ShardAnswer {
        let answer = ShardAnswer()
        if isFirst, gathering.parts == 1 {
            try check(answer, message, isSound)
            gathering.answer = answer
        } else {
            try Array(message).withUnsafeBytes { copy in
                try check(answer, copy, isSound)
                try gathering.answer.append(copy)
            }
        }
        return answer
    }

    private func check(
        _ answer: ShardAnswer, _ message: UnsafeRawBufferPointer, _ isSound: (ShardAnswer) -> Bool
    ) throws {
        try answer.append(message)
        if let failure = answer.failure { throw failure }
        guard isAnswered(by: answer), isSound(answer) else { throw MessageReader.Nonsense() }
    }
}
