import BelfryModel
import BelfryRuntime
import BelfrySignals

/// The answer to signals, as it grows.
struct SignalAnswer {
    private(set) var counts = Counts()

    struct Counts {
        var (signals, decided, duplicate, rejected, decisions) = (0, 0, 0, 0, 0)

        var value: Value {
            .map(
                Fields([
                    ("signals", .integer(Int64(signals))), ("decided", .integer(Int64(decided))),
                    ("duplicate", .integer(Int64(duplicate))), ("rejected", .integer(Int64(rejected))),
                    ("decisions", .integer(Int64(decisions))),
                ]))
        }
    }

    /// What became of a block, in JSON, a value for each signal.
    ///
    /// - Parameters:
    ///   - isMinimal: only counts.
    ///   - former: how many of them a request had before that was not answered: they are in the metrics.
    mutating func take(
        _ results: [SignalResult], of block: SignalBlock, _ answers: SignalAnswers, _ metrics: Metrics, isMinimal: Bool,
        former: Int = 0
    ) throws -> [[UInt8]] {
        let reader = SignalHeadReader()
        let heads = (0..<block.count).map { block.withLine($0, reader.read) }
        var duplicates: Set<SignalName> = []
        for (index, (head, result)) in zip(heads, results).enumerated() {
            note(head, result, answers, index < former ? nil : metrics)
            if case .duplicate = result, let name = SignalName(head) { duplicates.insert(name) }
        }
        if isMinimal { return [] }
        let found = duplicates.isEmpty ? [:] : try answers.find(duplicates)
        return results.indices.map { index in
            let former = SignalName(heads[index]).flatMap { found[$0] }
            return Self.json(results[index], heads[index], former, block, index)
        }
    }

    private mutating func note(
        _ head: SignalHead, _ result: SignalResult, _ answers: SignalAnswers, _ metrics: Metrics?
    ) {
        let type = head.type.map { SignalType(rawValue: $0) == nil ? "custom" : $0 } ?? "none"
        counts.signals += 1
        switch result {
        case .decided(let lines):
            counts.decided += 1
            counts.decisions += lines.count { $0 == UInt8(ascii: "\n") }
            if let name = SignalName(head) { answers.remember(name, lines) }
            metrics?.add(1, to: Metrics.signals, type, "decided")
        case .duplicate:
            counts.duplicate += 1
            metrics?.add(1, to: Metrics.signals, type, "duplicate")
        case .rejected(let reject):
            counts.rejected += 1
            metrics?.add(1, to: Metrics.signals, type, "rejected")
            metrics?.add(1, to: Metrics.rejected, reject.code.rawValue)
        }
    }

    /// - Parameter former: what a duplicate got when it was decided.
    private static func json(
        _ result: SignalResult, _ head: SignalHead, _ former: [UInt8]?, _ block: SignalBlock, _ index: Int
    ) -> [UInt8] {
        var json = Array("{".utf8)
        if let id = head.id { json += Array(#""id":\#(Value.text(id).json),"#.utf8) }
        switch result {
        case .decided(let lines): json += Array(#""status":"decided","decisions":"#.utf8) + list(lines)
        case .duplicate:
            json += Array(#""status":"duplicate""#.utf8)
            if let former { json += Array(#","decisions":"#.utf8) + list(former[...]) }
        case .rejected(let reject):
            let line = block.withLine(index) { reject.line(for: $0, number: block.lines[index].number) }
            json += Array(#""status":"rejected","reject":"#.utf8) + line.dropLast()
        }
        return json + [UInt8(ascii: "}")]
    }

    /// A list of what is on lines.
    private static func list(_ lines: ArraySlice<UInt8>) -> [UInt8] {
        Array("[".utf8) + lines.split(separator: UInt8(ascii: "\n")).joined(separator: [UInt8(ascii: ",")])
            + [UInt8(ascii: "]")]
    }
}
