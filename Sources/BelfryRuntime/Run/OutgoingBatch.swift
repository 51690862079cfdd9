import BelfryCore
import BelfryJournal
import BelfryModel

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
            bytes.reserveCapacity(answers.reduce(bytes.count) { $0 + $1.output.count })
            var rest = order[...]
            while let first = rest.first {
                // One behind the other, they are one range of the shard's lines.
                let run = rest.prefix { $0.shard == first.shard }
                append(first.piece...run.last!.piece, of: answers[first.shard])
                rest = rest[run.endIndex...]
            }
        }
        count += answers.reduce(0) { $0 + $1.decisions }
    }

    private mutating func append(_ pieces: ClosedRange<Int>, of answer: ShardAnswer) {
        append(
            answer.range(of: pieces.lowerBound).lowerBound..<answer.range(of: pieces.upperBound).upperBound, of: answer)
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

    /// The lines, with what belongs into their gaps by the gaps' offsets.
    func lines(fillings: [Int: String]) -> [UInt8] {
        gaps.fill(bytes) { Array((fillings[$0.offset] ?? "").utf8) }
    }

    /// Without the lines that were erased, if nothing waits for an outcome.
    var withoutBlanks: OutgoingBatch {
        guard bytes.first == UInt8(ascii: " ") || bytes.firstRange(of: [0x0A, 0x20]) != nil else { return self }
        var rest = OutgoingBatch()
        var (start, gaps) = (0, gaps[...])
        rest.calls = calls
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let shift = rest.bytes.count - start
            if bytes[start] != UInt8(ascii: " ") {
                rest.bytes += bytes[start...end]
                rest.count += 1
            }
            while let gap = gaps.first, gap.offset <= end {
                rest.gaps.append(DecisionGap(offset: gap.offset + shift, kind: gap.kind, call: gap.call))
                gaps.removeFirst()
            }
            start = end + 1
        }
        return rest
    }
}

// MARK: In the journal

extension OutgoingBatch {
    /// - Throws: `RunPositionFailure`.
    init(_ entry: JournalEntry) throws {
        (bytes, count) = (entry[.lines], entry.decisions)
        if entry[.calls].isEmpty { return }
        guard let head = Value(json: entry[.calls][...])?.map, let gaps = head["gaps"]?.list?.map(DecisionGap.init),
            let calls = head["calls"]?.list?.map(ActionCall.init), !gaps.contains(nil), !calls.contains(nil)
        else { throw Self.damage }
        self.gaps = gaps.compactMap { $0 }
        self.calls = calls.compactMap { $0 }
        let ends = self.gaps.map(\.offset) + [bytes.count]
        guard self.gaps.allSatisfy({ $0.call < self.calls.count }), zip(ends, ends.dropFirst()).allSatisfy(<=) else {
            throw Self.damage
        }
    }

    private static var damage: RunPositionFailure {
        RunPositionFailure(reason: "decisions that have not left yet make no sense")
    }

    /// Puts it into an entry.
    func write(to entry: inout JournalEntry) {
        (entry[.lines], entry.decisions) = (bytes, count)
        entry[.calls] = []
        if gaps.isEmpty, calls.isEmpty { return }
        let head: Value = [
            "gaps": .list(
                gaps.map { [.integer(Int64($0.offset)), .text($0.kind.rawValue), .integer(Int64($0.call))] }),
            "calls": .list(calls.map(\.value)),
        ]
        entry[.calls] = Array(head.json.utf8)
    }

    /// Without the calls of a subject, whose lines were erased. All others stay where they are.
    func without(_ subject: String) -> OutgoingBatch {
        var rest = self
        var places: [Int?] = []
        rest.calls = []
        for call in calls {
            places.append(call.subject.isSameText(as: subject) ? nil : rest.calls.count)
            if !call.subject.isSameText(as: subject) { rest.calls.append(call) }
        }
        rest.gaps = gaps.compactMap { gap in
            places[gap.call].map { DecisionGap(offset: gap.offset, kind: gap.kind, call: $0) }
        }
        return rest
    }

    /// Adds what comes next.
    mutating func append(_ next: OutgoingBatch) {
        gaps += next.gaps.map {
            DecisionGap(offset: bytes.count + $0.offset, kind: $0.kind, call: calls.count + $0.call)
        }
        calls += next.calls
        bytes += next.bytes
        count += next.count
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
    var value: Value {
        var fields = invocation.fields
        fields["subject"] = .text(subject)
        fields["time"] = .integer(time.milliseconds)
        fields["awaited"] = .bool(isAwaited)
        return .map(fields)
    }

    init?(_ value: Value) {
        guard let fields = value.map, let subject = fields["subject"]?.text, let time = fields["time"]?.integer,
            let invocation = Decision.Invocation(value), let isAwaited = fields["awaited"]?.bool
        else { return nil }
        self.init(
            subject: subject, time: Instant(milliseconds: time), invocation: invocation, isAwaited: isAwaited)
        if isAwaited, geotrigger == nil { return nil }
    }
}

extension Decision.Invocation {
    fileprivate var fields: Fields {
        var fields: Fields = ["action": .map(action), "payload": .map(payload)]
        fields["notification"] = notification.map { .text($0) }
        fields["campaign"] = campaign.map { .text($0) }
        fields["number"] = number.map { .integer(Int64($0)) }
        return fields
    }

    var value: Value { .map(fields) }

    init?(_ value: Value) {
        guard let fields = value.map, let action = fields["action"]?.map, let payload = fields["payload"]?.map else {
            return nil
        }
        self.init(
            notification: fields["notification"]?.text, campaign: fields["campaign"]?.text,
            number: fields["number"]?.integer.flatMap { UInt32(exactly: $0) }, action: action, payload: payload)
    }
}
