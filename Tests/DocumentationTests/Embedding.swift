import BelfryCore
import BelfryEngine
import BelfryModel
import BelfrySignals

/// Decides lines of signals of one subject, whose record the caller keeps.
func decide(_ lines: [String], of subject: String, core: Core, stored: inout [UInt8]?) throws -> [Decision] {
    var record = try stored.map { try core.record(of: subject, $0) } ?? SubjectRecord(subject: subject)
    var decisions: [Decision] = []
    for line in lines { decisions += try core.decide(Signal(json: line), on: &record) }
    stored = core.bytes(of: record)
    return decisions
}
