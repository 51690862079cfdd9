import BelfryModel
import BelfryStore

/// How far time has come in a store: the largest time of the signals and ticks that were accepted last. Nil before the first.
///
/// - Throws: `RunPositionFailure` or `StoreError`.
public func latestTime(in store: any RecordStore) throws -> Instant? {
    let position = try RunPosition(try store.meta(RunPosition.key))
    let latest = max(position.passed, position.accepted)
    return latest == .distantPast ? nil : latest
}
