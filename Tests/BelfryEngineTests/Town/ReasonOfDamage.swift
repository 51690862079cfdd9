@testable import BelfryEngine

/// Why these bytes cannot be read as ana's record; nil if they can.
func reasonOfDamage(_ bytes: some Sequence<UInt8>) -> String? {
    do throws(RecordDamage) {
        _ = try SubjectRecord(subject: "ana", reading: Array(bytes))
        return nil
    } catch {
        return error.reason
    }
}
