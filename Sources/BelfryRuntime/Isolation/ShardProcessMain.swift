import BelfryCore
import BelfryEngine
import BelfryModel
import CLinux
import Glibc

/// What a shard's process does: it answers requests until the host asks no more.
///
/// It saves records in memory that outlives it; it has no file, and no socket but the one to the host.
final class ShardProcessMain {
    private let channel: ShardChannel
    private let shard: Shard
    private let source: HostRecords
    private let shared: SharedRecords
    /// The last one that is complete.
    private var save: UInt32
    private var answers = 0
    /// The last one, whose memory is used again.
    private var last = ShardAnswer()
    /// How often to look for the next request before it sleeps.
    private var looks = 0
    private static let mostLooks = 1000

    init(_ channel: ShardChannel, _ shared: SharedRecords, _ loaded: Workspace.Loaded, _ start: ShardStart) {
        (self.channel, self.shared, save) = (channel, shared, start.save)
        source = HostRecords(channel)
        let cache = RecordCache(
            source, loaded.catalog.services.states, capacity: start.capacity, tellsChanges: start.hasJournal,
            savesRecords: true)
        shard = Shard(
            loaded.catalog, cache, passed: start.passed, trace: start.traced.map { ShardTrace(known: $0) },
            note: channel.note, hasJournal: start.hasJournal)
    }

    func run() {
        belfry_tell_threads_apart(CallNote.elsewhere(of: channel.note))
        guard channel.ring(.ready, Int(getpid())) else { return }
        while let bell = source.nextRequest(after: looks) { if !answer(bell) { return } }
    }

    /// - Returns: whether the host still hears it.
    private func answer(_ bell: ShardChannel.Bell) -> Bool {
        typealias Piece = ShardChannel.Piece
        let (request, answer): (Piece, Piece) =
            answers % 2 == 0 ? (.request, .answer) : (.nextRequest, .nextAnswer)
        answers += 1
        guard let bytes = channel.read(request, bell.length) else { return false }
        let made = ShardAnswer()
        made.takeMemory(of: last)
        made.output = DecisionLines(over: channel.memory(of: answer, from: ShardAnswer.beginOfLines))
        last = made
        do {
            var reader = MessageReader(bytes)
            try perform(try ShardRequest(&reader), made)
        } catch is MessageReader.Nonsense {
            // A plugin wrote over it.
            channel.end(.garbled)
        } catch {
            made.failure = error
        }
        channel.endIfClosed()
        guard let length = try? channel.write(to: answer, { made.write(to: &$0) }) else { return false }
        return channel.ring(.answer, length)
    }

    private func perform(_ request: ShardRequest, _ answer: ShardAnswer) throws {
        for (subject, due) in request.timers { shard.expectTimer(of: subject, at: due) }
        for call in request.unhandled { try shard.markUnhandled(call) }
        shard.faults = request.faults
        shard.checkCalls(request.isCareful ? { [channel] in channel.endIfClosed() } : nil)
        switch request.work {
        case .nothing: break
        case .lines(let batch, let places, let first):
            // One signal comes soon after the other; between batches there is other work for the processor.
            looks = places.count <= 16 ? Self.mostLooks : 0
            try shard.decide(batch, Array(places), from: first, answer)
        case .bound(let time, let limit): answer.bound = shard.bound(of: time, atMost: limit)
        case .tick(let time, let bound): try shard.tick(time, bound: bound, answer)
        case .changes(let changes): try shard.apply(changes)
        }
        shard.collectChanges(answer)
        if request.saves {
            save &+= 1
            try shard.save(into: shared, save, capacity: request.capacity, answer)
        }
        answer.candidates += shard.takeTally()
        answer.records = shard.recordCount
    }
}

/// The records of the host, for a shard in another process.
private final class HostRecords: RecordSource {
    private let channel: ShardChannel
    /// Requests that came while records were waited for.
    private var waiting: [ShardChannel.Bell] = []
    /// Of subjects without a record, of those asked for last.
    private var beginnings: [SubjectKey: (lastDecision: UInt64, place: UInt32)] = [:]

    init(_ channel: ShardChannel) { self.channel = channel }

    func nextRequest(after looks: Int) -> ShardChannel.Bell? {
        if !waiting.isEmpty { return waiting.removeFirst() }
        while let bell = channel.hear(after: looks) { if bell.kind == .request { return bell } }
        return nil
    }

    func records(for subjects: [String]) throws -> [StoredRecord?] {
        let length = try channel.write(to: .question) { $0.list(subjects) { $0.text($1) } }
        guard channel.ring(.question, length), let bell = answer(),
            let bytes = channel.read(.records, bell.length)
        else {
            // A plugin has closed the socket, or there is no host any more.
            channel.end(.deaf)
        }
        var reader = MessageReader(bytes)
        beginnings.removeAll(keepingCapacity: true)
        return try subjects.map { subject in
            let record = try reader.optional { reader throws(MessageReader.Nonsense) in Array(try reader.slice()) }
            let lastDecision = UInt64(truncatingIfNeeded: try reader.number())
            let place = UInt32(truncatingIfNeeded: try reader.number())
            if record == nil { beginnings[SubjectKey(subject)] = (lastDecision, place) }
            return record.map { StoredRecord($0, place: place) }
        }
    }

    func beginning(of subject: String) throws -> (lastDecision: UInt64, place: UInt32) {
        guard let known = beginnings[SubjectKey(subject)] else { throw ShardFailure.nonsense }
        return known
    }

    private func answer() -> ShardChannel.Bell? {
        while let bell = channel.hear() {
            if bell.kind == .records { return bell }
            waiting.append(bell)
        }
        return nil
    }
}
