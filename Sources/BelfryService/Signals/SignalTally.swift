import BelfryModel
import BelfryRuntime
import BelfrySignals

/// What became of the signals of a block, by their types: added up before metrics are asked for their lock.
struct SignalTally {
    /// How many were decided, how many were duplicates, and how many rejected.
    private(set) var types: [(type: String, counts: (decided: Int, duplicate: Int, rejected: Int))] = []
    private(set) var codes: [SignalReject.Code: Int] = [:]
    /// Where the type of the last one is: mostly the next one is of the same.
    private var last = 0

    mutating func add(_ type: UnsafeBufferPointer<UInt8>?, _ result: SignalResult) {
        find(type)
        switch result {
        case .decided: types[last].counts.decided += 1
        case .duplicate: types[last].counts.duplicate += 1
        case .rejected(let reject):
            types[last].counts.rejected += 1
            codes[reject.code, default: 0] += 1
        }
    }

    private mutating func find(_ type: UnsafeBufferPointer<UInt8>?) {
        if let type, last < types.count, types[last].type.withBytes({ $0.hasBytes(of: UnsafeRawBufferPointer(type)) }) {
            return
        }
        let type = type.map { String(decoding: $0, as: UTF8.self) }
        // One that is not built in may be anything, also what should not be in metrics.
        let name = type.map { SignalType(rawValue: $0) == nil ? "custom" : $0 } ?? "none"
        if let place = types.firstIndex(where: { $0.type == name }) {
            last = place
        } else {
            last = types.count
            types.append((name, (0, 0, 0)))
        }
    }
}

extension Metrics {
    func add(_ tally: SignalTally) {
        for (type, counts) in tally.types {
            for (result, count) in [
                ("decided", counts.decided), ("duplicate", counts.duplicate), ("rejected", counts.rejected),
            ] where count > 0 { add(count, to: Self.signals, type, result) }
        }
        for (code, count) in tally.codes { add(count, to: Self.rejected, code.rawValue) }
    }
}
