import BelfryConfiguration
import BelfryCore
import BelfryEngine
import BelfryModel
import BelfryStore

/// The decisions of one batch as bytes, with gaps where only a handler can say what belongs there.
///
/// It is committed as it is, together with what it follows from, and leaves afterwards. After a kill it is read back, and
/// leaves then: the same bytes, with the same ids.
struct OutgoingBatch: Equatable {
    private(set) var bytes: [UInt8] = []
    private(set) var gaps: [DecisionGap] = []
    /// The actions to run, in order.
    private(set) var calls: [ActionCall] = []
    private(set) var count = 0

    init() {}

    /// Adds what shards made of a batch or a tick.
    mutating func append(_ answers: [ShardAnswer], in order: [ShardAnswer.Place]) {
        if answers.count == 1 {
            append(0..<answers[0].output.count, of: answers[0])
        } else {
            for place in order { append(place.piece, of: answers[place.shard]) }
        }
        count += answers.reduce(0) { $0 + $1.decisions }
    }

    private mutating func append(_ piece: Int, of answer: ShardAnswer) {
        append(answer.range(of: piece), of: answer)
    }

    private mutating func append(_ range: Range<Int>, of answer: ShardAnswer) {
        if range.isEmpty { return }
        let shift = bytes.count - range.lowerBound
        for gap in answer.output.gaps where range.contains(gap.offset) {
            // The calls of a piece are those that its gaps wait for.
            if gap.kind == .outcome { calls.append(answer.output.calls[gap.call]) }
            gaps.append(
                DecisionGap(
                    offset: gap.offset + shift, kind: gap.kind,
                    call: gap.kind == .outcome ? calls.count - 1 : calls.count))
        }
        answer.output.writer.withBytes { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// Whether these bytes are what a process could write of it before it was killed: its lines, the last one perhaps not
    /// whole. What handlers answered then is not known, so of a line with a gap only what comes before that is compared.
    func mayBegin(with written: [UInt8]) -> Bool {
        let newline = UInt8(ascii: "\n")
        var (rest, place, gaps) = (written[...], 0, gaps[...])
        while !rest.isEmpty {
            guard let end = bytes[place...].firstIndex(of: newline) else { return false }
            let gap = gaps.first.flatMap { $0.offset <= end ? $0.offset : nil }
            let known = bytes[place..<(gap ?? end + 1)]
            let line = rest.prefix((rest.firstIndex(of: newline) ?? rest.endIndex - 1) + 1 - rest.startIndex)
            let isTorn = line.last != newline
            guard
                (gap != nil && line.starts(with: known)) || (gap == nil && line == known)
                    || (isTorn && known.starts(with: line))
            else { return false }
            rest = rest[line.endIndex...]
            (place, gaps) = (end + 1, gaps.drop { $0.offset <= end })
        }
        return true
    }

    /// The lines, with the gaps filled.
    func lines(_ outcomes: [Decision.Outcome]) -> [UInt8] { gaps.fill(bytes, with: outcomes) }
}

// MARK: As it is stored

extension OutgoingBatch {
    /// The name of the queue where it waits.
    static let queue = "decisions"

    static func waiting(in store: any RecordStore) throws -> [QueueItem] {
        try store.items(in: queue, after: nil, limit: .max)
    }

    /// Several batches as one; nil if there are none.
    ///
    /// - Throws: `RunPositionFailure`.
    init?(joining items: [QueueItem]) throws {
        guard let first = items.first else { return nil }
        self = try OutgoingBatch(first)
        for item in items.dropFirst() { append(try OutgoingBatch(item)) }
    }

    private mutating func append(_ next: OutgoingBatch) {
        gaps += next.gaps.map {
            DecisionGap(offset: bytes.count + $0.offset, kind: $0.kind, call: calls.count + $0.call)
        }
        calls += next.calls
        bytes += next.bytes
        count += next.count
    }

    /// - Throws: `RunPositionFailure`.
    private init(_ item: QueueItem) throws {
        guard let batch = OutgoingBatch(stored: item.bytes) else {
            throw RunPositionFailure(reason: "decisions that have not left yet are damaged")
        }
        self = batch
    }

    /// A line of JSON about the gaps and calls, then the bytes.
    var stored: [UInt8] {
        let head: Value = [
            "count": .integer(Int64(count)),
            "gaps": .list(
                gaps.map { [.integer(Int64($0.offset)), .text($0.kind.rawValue), .integer(Int64($0.call))] }),
            "calls": .list(calls.map(\.value)),
        ]
        var stored = Array(head.json.utf8)
        stored.reserveCapacity(stored.count + 1 + bytes.count)
        stored.append(UInt8(ascii: "\n"))
        stored.append(contentsOf: bytes)
        return stored
    }

    /// Nil if that was not written by `stored`.
    init?(stored: [UInt8]) {
        guard let end = stored.firstIndex(of: UInt8(ascii: "\n")),
            let head = Value(json: stored[..<end])?.map,
            let count = head["count"]?.integer.flatMap(Int.init(exactly:)),
            let gaps = head["gaps"]?.list?.map(DecisionGap.init), let calls = head["calls"]?.list?.map(ActionCall.init),
            !gaps.contains(nil), !calls.contains(nil)
        else { return nil }
        self.count = count
        self.gaps = gaps.compactMap { $0 }
        self.calls = calls.compactMap { $0 }
        bytes = Array(stored[(end + 1)...])
        let ends = self.gaps.map(\.offset) + [bytes.count]
        guard self.gaps.allSatisfy({ $0.call < self.calls.count }), zip(ends, ends.dropFirst()).allSatisfy(<=) else {
            return nil
        }
    }
}

extension DecisionGap {
    fileprivate init?(_ value: Value) {
        guard let items = value.list, items.count == 3, let offset = items[0].integer, offset >= 0,
            let kind = items[1].text.flatMap(DecisionGap.Kind.init), let call = items[2].integer, call >= 0
        else { return nil }
        self.init(offset: Int(offset), kind: kind, call: Int(call))
    }
}

extension ActionCall {
    fileprivate var value: Value {
        var fields = Fields([("subject", .text(subject)), ("time", .integer(time.milliseconds))])
        fields["notification"] = invocation.notification.map { .text($0) }
        fields["campaign"] = invocation.campaign.map { .text($0) }
        fields["action"] = .map(invocation.action)
        fields["payload"] = .map(invocation.payload)
        fields["awaited"] = .bool(isAwaited)
        return .map(fields)
    }

    fileprivate init?(_ value: Value) {
        guard let fields = value.map, let subject = fields["subject"]?.text, let time = fields["time"]?.integer,
            let action = fields["action"]?.map, let payload = fields["payload"]?.map,
            let isAwaited = fields["awaited"]?.bool
        else { return nil }
        self.init(
            subject: subject, time: Instant(milliseconds: time),
            invocation: Decision.Invocation(
                notification: fields["notification"]?.text, campaign: fields["campaign"]?.text, action: action,
                payload: payload),
            isAwaited: isAwaited)
    }
}
