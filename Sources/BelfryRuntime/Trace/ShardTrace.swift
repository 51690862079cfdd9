import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals

/// What a shard adds to a trace: what it is told and decides, each decision with all that the chain said.
final class ShardTrace {
    private var writer = JSONWriter()
    /// What the chain said, by decision.
    private var entries: [Int: [UInt8]] = [:]
    /// The subjects whose records are in the trace.
    private var known: Set<SubjectKey>

    init(known: Set<SubjectKey>) { self.known = known }

    /// What was added since this was last taken.
    func take() -> [UInt8] { writer.takeBytes() }

    private func add(_ fields: Fields) {
        writer.write(fields)
        writer.endLine()
    }

    /// Adds what the store knew of a subject, the first time.
    func add(_ subject: String, _ record: [UInt8]) {
        if known.insert(SubjectKey(subject)).inserted { add(TraceLine.record(of: subject, record)) }
    }

    func add(_ line: SignalBatch.Line) { add(TraceLine.signal(line.bytes, line: line.number)) }

    func add(_ reject: SignalReject, line: Int) { add(TraceLine.rejected(reject, line: line)) }

    /// Keeps what the chain said until the decision that comes of it is added.
    func keep(_ evaluation: ChainEvaluation) {
        var list = JSONWriter()
        list.write(.list(evaluation.entries.map(\.value)))
        entries[evaluation.decision] = list.takeBytes()
    }

    func add(_ effects: borrowing Effects, _ catalog: Catalog) {
        for index in 0..<effects.count {
            writer.append(TraceLine.beginning(of: effects, index, catalog))
            if let entries = entries[index] {
                writer.append(",\"entries\":")
                writer.append(entries)
            }
            writer.append("}")
            writer.endLine()
        }
        entries.removeAll(keepingCapacity: true)
    }
}
