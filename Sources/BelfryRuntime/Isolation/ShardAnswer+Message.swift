import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals
import Glibc

// What a shard's process answers, and what the host makes of it: nothing but numbers and bytes, of which each is checked.

extension ShardAnswer {
    /// Where lines begin in a message, behind four lengths.
    static let beginOfLines = 4 * 8

    func write(to writer: inout MessageWriter) {
        for count in [output.count, signals.count, changes.count, pieces.count] { writer.number(count) }
        output.writer.withBytes { writer.raw($0) }
        signals.withBytes { writer.raw($0) }
        changes.withBytes { writer.raw($0) }
        pieces.withUnsafeBytes { writer.raw($0) }
        writer.list(traces) { $0.bytes($1) }
        writer.list(timers) { $0.timer($1) }
        writeGaps(to: &writer)
        writer.list(rejects) {
            $0.number($1.piece)
            $0.text($1.reject.code.rawValue)
            $0.text($1.reject.message)
        }
        writer.list(outgoing) {
            $0.number($1.piece)
            $0.value($1.item.value)
        }
        writer.list(warnings) { $0.text($1) }
        counts.write(to: &writer)
        writer.list(candidates) {
            $0.text($1.what.rawValue)
            $0.text($1.name)
            $0.text($1.word)
            $0.number($1.count)
        }
        writer.instant(accepted)
        writer.list(changed) { $0.number($1) }
        writer.list(released) { $0.number($1) }
        writer.number(records)
        writer.optional(bound) { $0.timer($1) }
        writer.optional(failure) { $0.text("\($1)") }
    }

    /// Where the lines have gaps.
    private func writeGaps(to writer: inout MessageWriter) {
        writer.list(output.gaps) {
            $0.number($1.offset)
            $0.text($1.kind.rawValue)
            $0.number($1.call)
        }
        writer.list(output.calls) { $0.value($1.value) }
    }

    /// Adds what a shard's process answered to a part of what it was given.
    ///
    /// - Parameter message: where the process may still write. Each byte is looked at once, most of it where it has come to.
    func append(_ message: UnsafeRawBufferPointer) throws(MessageReader.Nonsense) {
        var head = MessageReader(Array(message.prefix(Self.beginOfLines)), of: message.count)
        let counts = [try head.size(), try head.size(), try head.size(), try head.size() * MemoryLayout<Piece>.stride]
        var place = Self.beginOfLines
        let large = counts.map { count in
            defer { place += count }
            return place..<place + count
        }
        guard place <= message.count else { throw MessageReader.Nonsense() }
        let parts = large.map { UnsafeRawBufferPointer(rebasing: message[$0]) }
        var reader = MessageReader(Array(message[place...]), of: message.count)
        signals.append(parts[1])
        changes.append(parts[2])
        try append(parts[0], parts[3], &reader)
    }

    private func append(
        _ lines: UnsafeRawBufferPointer, _ pieces: UnsafeRawBufferPointer, _ reader: inout MessageReader
    ) throws(MessageReader.Nonsense) {
        let (piece, end) = (self.pieces.count, output.count)
        traces += try reader.list { reader throws(MessageReader.Nonsense) in Array(try reader.slice()) }
        timers += try reader.list { reader throws(MessageReader.Nonsense) in try reader.timer() }
        try append(lines, gaps: &reader)
        try append(pieces, of: lines, from: end)
        let count = self.pieces[piece...].reduce(0) { $0 + $1.count }
        rejects += try reader.list { reader throws(MessageReader.Nonsense) in
            (piece + (try reader.size()), SignalReject(try reader.word(), try reader.text()))
        }
        outgoing += try reader.list { reader throws(MessageReader.Nonsense) in
            (piece + (try reader.size()), try reader.outgoing())
        }
        warnings += try reader.list { reader throws(MessageReader.Nonsense) in try reader.text() }
        let counts = try SignalCounts(&reader)
        guard counts.decisions.values.reduce(0, +) == count else { throw MessageReader.Nonsense() }
        self.counts.add(counts)
        candidates += try reader.list { reader throws(MessageReader.Nonsense) in
            CandidateTally.Count(
                try reader.word(), try reader.text(), try reader.text(), count: try reader.amount())
        }
        accepted = max(accepted, try reader.instant())
        guard accepted == .distantPast || accepted.isWritable else { throw MessageReader.Nonsense() }
        changed += try reader.places()
        released += try reader.places()
        records = try reader.amount()
        bound = try reader.optional { reader throws(MessageReader.Nonsense) in try reader.timer() }
        failure = try reader.optionalText().map { ShardFailure(description: $0) }
        try reader.end()
    }

    /// - Parameter begin: where the lines begin among those that are here.
    private func append(
        _ more: UnsafeRawBufferPointer, of lines: UnsafeRawBufferPointer, from begin: Int
    ) throws(MessageReader.Nonsense) {
        var last = begin
        var gaps = output.gaps.drop { $0.offset < begin }
        for offset in stride(from: 0, to: more.count, by: MemoryLayout<Piece>.stride) {
            var piece = more.loadUnaligned(fromByteOffset: offset, as: Piece.self)
            guard piece.isSound(among: lines) else { throw MessageReader.Nonsense() }
            piece.end += begin
            guard piece.end >= last, hasLines(piece.count, in: last..<piece.end) else {
                throw MessageReader.Nonsense()
            }
            last = piece.end
            // What waits for a call of other lines would wait for ever.
            let own = gaps.prefix { $0.offset < last }
            guard own.last?.kind != .handled else { throw MessageReader.Nonsense() }
            gaps = gaps.dropFirst(own.count)
            pieces.append(piece)
        }
        guard last == output.count, [0, pieces.count].contains(traces.count), [0, pieces.count].contains(timers.count)
        else { throw MessageReader.Nonsense() }
    }

    /// Whether there are so many lines, and nothing else.
    private func hasLines(_ count: Int, in range: Range<Int>) -> Bool {
        output.writer.withBytes { bytes in
            let lines = UnsafeRawBufferPointer(rebasing: bytes[range])
            return lines.lineEnds == count && lines.last ?? UInt8(ascii: "\n") == UInt8(ascii: "\n")
        }
    }

    private func append(
        _ lines: UnsafeRawBufferPointer, gaps reader: inout MessageReader
    ) throws(MessageReader.Nonsense) {
        let gaps = try reader.list { reader throws(MessageReader.Nonsense) in
            DecisionGap(offset: try reader.number(), kind: try reader.word(), call: try reader.number())
        }
        let calls = try reader.list { reader throws(MessageReader.Nonsense) in try reader.call() }
        if !output.append(lines, gaps, calls) { throw MessageReader.Nonsense() }
    }
}

extension SignalCounts {
    fileprivate func write(to writer: inout MessageWriter) {
        writer.list(numbers) { $0.number($1) }
        writer.list(ignored.sorted { $0.key.rawValue < $1.key.rawValue }) {
            $0.text($1.key.rawValue)
            $0.number($1.value)
        }
        writer.list(faults.sorted { $0.key.entry < $1.key.entry }) {
            $0.text($1.key.entry)
            $0.text($1.key.cause.rawValue)
            $0.number($1.value)
        }
        writer.list(silenced.sorted { $0.key < $1.key }) {
            $0.text($1.key)
            $0.number($1.value.count)
            $0.instant($1.value.last)
        }
    }

    fileprivate init(_ reader: inout MessageReader) throws(MessageReader.Nonsense) {
        let numbers = try reader.list { reader throws(MessageReader.Nonsense) in try reader.amount() }
        let ignored = try reader.list { reader throws(MessageReader.Nonsense) in
            (try reader.word() as Effects.Ignored, try reader.amount())
        }
        let faults = try reader.list { reader throws(MessageReader.Nonsense) in
            (FaultKind(entry: try reader.text(), cause: try reader.word()), try reader.amount())
        }
        let silenced = try reader.list { reader throws(MessageReader.Nonsense) in
            (try reader.text(), Effects.Swallowed(count: try reader.amount(), last: try reader.instant()))
        }
        let counts = SignalCounts(
            numbers: numbers, ignored: Dictionary(ignored) { first, _ in first },
            faults: Dictionary(faults) { first, _ in first }, silenced: Dictionary(silenced) { first, _ in first })
        guard let counts, counts.ignored.count == ignored.count, counts.faults.count == faults.count,
            counts.silenced.count == silenced.count
        else { throw MessageReader.Nonsense() }
        self = counts
    }
}

extension Outgoing {
    fileprivate var value: Value {
        var fields: Fields = [
            "subject": .text(subject), "time": .integer(time.milliseconds), "cause": .text(cause),
        ]
        fields["channel"] = channel.map { .text($0) }
        switch body {
        case .event(let type, let name, let attributes):
            fields["event"] = [.text(type), .text(name), .map(attributes)]
        case .attributesSet(let scope, let values): fields["set"] = [.text(scope.rawValue), .map(values)]
        case .attributesUpdated(let scope, let values): fields["update"] = [.text(scope.rawValue), .map(values)]
        case .attributesDeleted(let scope, let keys):
            fields["delete"] = [.text(scope.rawValue), .list(keys.map { .text($0) })]
        }
        return .map(fields)
    }

    fileprivate init?(_ fields: Fields) {
        guard let subject = fields["subject"]?.text, let time = fields["time"]?.integer,
            let cause = fields["cause"]?.text, let body = Body(fields)
        else { return nil }
        self.init(
            subject: subject, channel: fields["channel"]?.text, time: Instant(milliseconds: time), cause: cause,
            body: body)
    }
}

extension Outgoing.Body {
    fileprivate init?(_ fields: Fields) {
        if let event = fields["event"]?.list, event.count == 3, let type = event[0].text, let name = event[1].text,
            let attributes = event[2].map
        {
            self = .event(type: type, name: name, attributes: attributes)
        } else if let (scope, values) = Self.change(fields["set"]), let values = values.map {
            self = .attributesSet(scope, values)
        } else if let (scope, values) = Self.change(fields["update"]), let values = values.map {
            self = .attributesUpdated(scope, values)
        } else if let (scope, keys) = Self.change(fields["delete"]), let keys = keys.list {
            self = .attributesDeleted(scope, keys.compactMap(\.text))
        } else {
            return nil
        }
    }

    private static func change(_ value: Value?) -> (Signal.Scope, Value)? {
        guard let list = value?.list, list.count == 2, let scope = list[0].text.flatMap(Signal.Scope.init) else {
            return nil
        }
        return (scope, list[1])
    }
}

extension MessageReader {
    fileprivate mutating func places() throws(Nonsense) -> [UInt32] {
        try list { reader throws(Nonsense) in UInt32(truncatingIfNeeded: try reader.number()) }
    }

    fileprivate mutating func outgoing() throws(Nonsense) -> Outgoing {
        guard let outgoing = Outgoing(try fields()) else { throw Nonsense() }
        return outgoing
    }
}
