import BelfryModel
import BelfryRuntime
import BelfrySignals

/// The answer to signals, as it grows.
struct SignalAnswer {
    private(set) var counts = Counts()
    private let heads = SignalHeadReader()

    struct Counts {
        var (signals, decided, duplicate, rejected, decisions) = (0, 0, 0, 0, 0)

        fileprivate func write(to writer: inout JSONWriter) {
            writer.key("counts")
            writer.beginObject()
            for (name, count) in [
                ("signals", signals), ("decided", decided), ("duplicate", duplicate), ("rejected", rejected),
                ("decisions", decisions),
            ] {
                writer.key(name)
                writer.write(Int64(count))
            }
            writer.endObject()
        }
    }

    /// What stands behind each value of the answer.
    enum Separator: UInt8 {
        case comma = 0x2C
        case newline = 0x0A
    }

    /// What became of a block, in JSON, a value for each signal.
    ///
    /// - Parameters:
    ///   - separator: nil: only counts are wanted.
    ///   - former: what was known of the first ones before: that is in the metrics.
    mutating func take(
        _ results: [SignalResult], of block: SignalBlock, _ answers: SignalAnswers, _ metrics: Metrics,
        separator: Separator?, former: [SignalResult?] = []
    ) throws -> [UInt8] {
        // What was known before is not the latest that those signals got.
        let isNew = { (index: Int) in index >= former.count || former[index] == nil }
        answers.remember(
            block, former.isEmpty ? results : results.indices.map { isNew($0) ? results[$0] : .duplicate })
        let found = separator == nil ? [:] : try answers.find(duplicates(results, of: block))
        var tally = SignalTally()
        var writer = JSONWriter()
        for (index, result) in results.enumerated() {
            count(result)
            block.withLine(index) { line in
                heads.withName(of: line) { id, type in
                    if isNew(index) { tally.add(type, result) }
                    if separator != nil { Self.begin(id, &writer) }
                }
            }
            guard let separator else { continue }
            let former = found.isEmpty ? nil : SignalName(block.withLine(index, heads.read)).flatMap { found[$0] }
            Self.write(result, former, block, index, to: &writer)
            writer.append(separator)
        }
        metrics.add(tally)
        return writer.takeBytes()
    }

    /// The whole answer.
    ///
    /// - Parameter items: what `take` gave, in a row.
    func reply(_ items: [UInt8], isMinimal: Bool, hasLines: Bool) -> Reply {
        if hasLines, !isMinimal { return Reply(bytes: items, type: "application/x-ndjson") }
        var writer = JSONWriter()
        writer.beginObject()
        if !isMinimal {
            writer.key("results")
            writer.beginList()
            writer.append(items[..<max(0, items.count - 1)])
            writer.endList()
        }
        counts.write(to: &writer)
        writer.endObject()
        return Reply(bytes: writer.takeBytes())
    }

    private func duplicates(_ results: [SignalResult], of block: SignalBlock) -> Set<SignalName> {
        var names: Set<SignalName> = []
        for (index, result) in results.enumerated() {
            guard case .duplicate = result, let name = SignalName(block.withLine(index, heads.read)) else { continue }
            names.insert(name)
        }
        return names
    }

    private mutating func count(_ result: SignalResult) {
        counts.signals += 1
        switch result {
        case .decided(let lines):
            counts.decided += 1
            counts.decisions += lines.withUnsafeBytes { $0.lineEnds }
        case .duplicate: counts.duplicate += 1
        case .rejected: counts.rejected += 1
        }
    }

    private static func begin(_ id: UnsafeBufferPointer<UInt8>?, _ writer: inout JSONWriter) {
        writer.append("{")
        guard let id else { return }
        writer.append(#""id":"#)
        writer.appendQuoted(id)
        writer.append(",")
    }

    /// - Parameter former: what a duplicate got when it was decided.
    private static func write(
        _ result: SignalResult, _ former: [UInt8]?, _ block: SignalBlock, _ index: Int, to writer: inout JSONWriter
    ) {
        switch result {
        case .decided(let lines):
            writer.append(#""status":"decided","decisions":"#)
            write(lines, to: &writer)
        case .duplicate:
            writer.append(#""status":"duplicate""#)
            if let former {
                writer.append(#","decisions":"#)
                write(former[...], to: &writer)
            }
        case .rejected(let reject):
            writer.append(#""status":"rejected","reject":"#)
            writer.append(block.withLine(index) { reject.line(for: $0, number: block.lines[index].number) }.dropLast())
        }
        writer.append("}")
    }

    /// A list of what is on lines.
    private static func write(_ lines: ArraySlice<UInt8>, to writer: inout JSONWriter) {
        writer.append("[")
        lines.withUnsafeBytes { lines in
            var start = 0
            while start < lines.count {
                let end = lines.endOfLine(at: start) ?? lines.count
                if start > 0 { writer.append(",") }
                writer.append(UnsafeRawBufferPointer(rebasing: lines[start..<end]))
                start = end + 1
            }
        }
        writer.append("]")
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ json: ArraySlice<UInt8>) { json.withUnsafeBytes { append($0) } }

    fileprivate mutating func append(_ separator: SignalAnswer.Separator) {
        switch separator {
        case .comma: append(",")
        case .newline: endLine()
        }
    }
}
