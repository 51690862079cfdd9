import BelfryEngine
import BelfryModel

/// The lines of decisions as bytes, all but their beginnings: these have the number of the decision, which is known only when
/// it is known what other lanes decided before.
struct LaneLines: ~Copyable {
    private var writer = JSONWriter()
    /// Where each line ends.
    private var ends: [Int] = []
    /// Where a line is not complete until an action has run, by the index of the decision.
    private var gaps: [Int: Decision.Gap] = [:]

    /// Writes the decisions that were not written yet.
    mutating func write(_ effects: Effects, source: String) {
        while ends.count < effects.count {
            if let gap = effects.writeRest(ends.count, to: &writer, source: source) { gaps[ends.count] = gap }
            ends.append(writer.count)
        }
    }

    mutating func removeAll() {
        writer.removeAll()
        ends.removeAll(keepingCapacity: true)
        gaps.removeAll(keepingCapacity: true)
    }

    /// What its line waits for; nil if it is complete.
    func gap(of decision: Int) -> Decision.Gap? { gaps.isEmpty ? nil : gaps[decision] }

    /// Where the line of a decision begins.
    func start(of decision: Int) -> Int { decision == 0 ? 0 : ends[decision - 1] }

    /// Copies the line of a decision.
    borrowing func copy(_ decision: Int, to target: inout JSONWriter) {
        let range = start(of: decision)..<ends[decision]
        writer.withBytes { target.append(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
}
