import BelfryCore
import BelfryEngine
import BelfryModel

// What comes from the process: what it made of a request, and which records it needs.

extension ShardSupervisor {
    func take(_ bell: ShardChannel.Bell) throws {
        switch bell.kind {
        case .question: try giveRecords(bell.length)
        case .answer:
            guard sent > 0, let message = process?.takeAnswer(bell.length) else { throw ShardFailure.nonsense }
            try take(message)
        case .ready, .request, .records: throw ShardFailure.nonsense
        }
    }

    private func take(_ message: UnsafeRawBufferPointer) throws {
        let answer = flights[0].gathering.answer
        do throws(MessageReader.Nonsense) { try answer.append(message) } catch {
            // What was read so far is in the answer: nothing of it can be used.
            throw ShardFailure.nonsense
        }
        if let failure = answer.failure { throw failure }
        guard flights[0].isAnswered(by: answer), isSound(answer) else { throw ShardFailure.nonsense }
        try committed.take(answer, saves: flights[0].saves)
        unsaved.didAnswer(saves: flights[0].saves, changes: answer.newChanges)
        answer.taken = answer.changes.count
        if let told = process?.untraced { traced?.formUnion(told) }
        process?.untraced = []
        process?.records = answer.records
        sent -= 1
        try finishFirst()
        process?.noteMemory()
    }

    /// Whether it tells of the shard's subjects only.
    private func isSound(_ answer: ShardAnswer) -> Bool {
        RecordChanges.areSound(answer.newChanges, isMine)
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
        guard let process, let bytes = process.channel.read(.question, length) else { throw ShardFailure.nonsense }
        var reader = MessageReader(bytes)
        let subjects = try? reader.list { reader throws(MessageReader.Nonsense) in try reader.text() }
        guard let subjects, subjects.allSatisfy({ isMine(stableHash($0)) }) else { throw ShardFailure.nonsense }
        let records = try committed.lend(subjects)
        if traced != nil { self.process!.untraced.formUnion(subjects.map(SubjectKey.init)) }
        let written = try process.channel.write(to: .records) { message in
            for lent in records {
                message.optional(lent.bytes) { $0.bytes($1) }
                message.number(lent.lastDecision)
                message.number(lent.place)
            }
        }
        process.channel.ring(.records, written)
    }

    func isMine(_ hash: UInt64) -> Bool { BatchReader.shard(hash, of: place.count) == place.index }
}
