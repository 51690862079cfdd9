import BelfryCore
import BelfryEngine
import BelfryModel
import Glibc

/// What a shard's process does: it answers requests until nobody asks any more.
///
/// Everything that it knows of records is in the last answer; it has no file, and no socket but the one to the host.
final class ShardProcessMain {
    private let channel: ShardChannel
    private let shard: Shard
    private let source: HostRecords
    private let settings: ShardStart
    private var message = MessageWriter()
    private var answers = 0

    init(_ channel: ShardChannel, _ loaded: Workspace.Loaded, _ start: ShardStart) {
        (self.channel, settings) = (channel, start)
        source = HostRecords(channel)
        let cache = RecordCache(source, loaded.catalog.services.states, capacity: start.capacity)
        shard = Shard(
            loaded.catalog, cache, passed: start.passed, trace: start.traced.map { ShardTrace(known: $0) },
            note: channel.note)
        shard.check = { [channel] in if !channel.isOpen { _exit(ShardDeath.deaf) } }
    }

    func run() {
        guard channel.ring(.ready, Int(getpid())) else { return }
        while let bell = source.nextRequest() { if !answer(bell) { return } }
    }

    /// - Returns: whether there is still somebody who hears it.
    private func answer(_ bell: ShardChannel.Bell) -> Bool {
        typealias Piece = ShardChannel.Piece
        let (request, answer): (Piece, Piece) =
            answers % 2 == 0 ? (.request, .answer) : (.nextRequest, .nextAnswer)
        answers += 1
        guard let bytes = channel.read(request, bell.length) else { return false }
        let made = ShardAnswer()
        do {
            var reader = MessageReader(bytes)
            try perform(try ShardRequest(&reader), made)
        } catch {
            made.failure = error
        }
        message.removeAll()
        made.write(to: &message)
        guard (try? channel.write(message, to: answer)) != nil else { return false }
        return channel.ring(.answer, message.count)
    }

    private func perform(_ request: ShardRequest, _ answer: ShardAnswer) throws {
        for (subject, due) in request.timers { shard.expectTimer(of: subject, at: due) }
        for call in request.unhandled { try shard.markUnhandled(call) }
        shard.faults = request.faults
        if shard.checksCalls != request.isCareful { shard.checksCalls = request.isCareful }
        switch request.work {
        case .nothing: break
        case .lines(let lines, let pieces, let clock):
            try shard.decide(
                SignalBatch(lines, clock: clock), Array(lines.indices), from: pieces.lowerBound, answer)
        case .bound(let time, let limit): answer.bound = shard.bound(of: time, atMost: limit)
        case .tick(let time, let bound): try shard.tick(time, bound: bound, answer)
        }
        // The host has them when it has the answer.
        shard.collectUnkept(answer)
        shard.makeRoom(capacity: request.capacity, stored: answer.batch)
        answer.candidates += shard.takeTally()
        answer.records = shard.recordCount
    }
}

/// The records of the host, for a shard in another process.
private final class HostRecords: RecordSource {
    private let channel: ShardChannel
    /// Requests that came while records were waited for.
    private var waiting: [ShardChannel.Bell] = []
    private var message = MessageWriter()
    /// Of subjects without a record, of those asked for last.
    private var lastDecisions: [SubjectKey: UInt64] = [:]

    init(_ channel: ShardChannel) { self.channel = channel }

    func nextRequest() -> ShardChannel.Bell? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while let bell = channel.hear() { if bell.kind == .request { return bell } }
        return nil
    }

    func records(for subjects: [String]) throws -> [StoredRecord?] {
        message.removeAll()
        message.list(subjects) { $0.text($1) }
        try channel.write(message, to: .question)
        guard channel.ring(.question, message.count), let bell = answer(),
            let bytes = channel.read(.records, bell.length)
        else { throw ShardFailure(description: "the host has hung up") }
        var reader = MessageReader(bytes)
        lastDecisions.removeAll(keepingCapacity: true)
        return try subjects.map { subject in
            let record = try reader.optional { reader throws(MessageReader.Nonsense) in Array(try reader.slice()) }
            lastDecisions[SubjectKey(subject)] = UInt64(truncatingIfNeeded: try reader.number())
            return record.map { StoredRecord($0) }
        }
    }

    func lastDecision(ofErased subject: String) throws -> UInt64 { lastDecisions[SubjectKey(subject)] ?? 0 }

    private func answer() -> ShardChannel.Bell? {
        while let bell = channel.hear() {
            if bell.kind == .records { return bell }
            waiting.append(bell)
        }
        return nil
    }
}
